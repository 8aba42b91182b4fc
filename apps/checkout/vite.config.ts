import { defineConfig } from "vite";

// The service serves this under a strict policy: no inline script or style, nothing from elsewhere.
export default defineConfig({
  base: "/checkout/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
