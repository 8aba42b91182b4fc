import { defineConfig } from "vite";

// The service serves this under a strict policy: no inline script or style, nothing from elsewhere.
export default defineConfig({
  base: "/checkout/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // What a first visit loads, and what is fetched later, are told apart by name and budgeted.
        entryFileNames: "assets/first-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
      },
    },
  },
});
