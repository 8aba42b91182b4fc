import { defineConfig } from "vite";

// The service sets a strict content security policy: no inline script or style, no other origin.
export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // `npm run check` has a budget for the files of the first load, and one for each screen.
        entryFileNames: "assets/first-[hash].js",
        chunkFileNames: ({ isDynamicEntry }) =>
          isDynamicEntry ? "assets/[name]-[hash].js" : "assets/shared-[name]-[hash].js",
      },
    },
  },
});
