import { defineConfig } from "vite";

/** One classic script without imports: the template that `renderScript` fills for each merchant. */
export default defineConfig({
  logLevel: "warn",
  build: {
    target: "es2022",
    outDir: "dist",
    // The TypeScript build writes to the same folder.
    emptyOutDir: false,
    lib: {
      entry: "src/script.ts",
      name: "exchangeScript",
      formats: ["iife"],
      fileName: () => "exchange.template.js",
    },
  },
});
