import { defineConfig } from "vite";

/**
 * Names of our own that are properties, and may be shortened: none of them is in the documented
 * interface, in the protocol or in the platform. What is not in this list keeps its name.
 */
const INNER_NAMES = [
  "frameWindow",
  "checkoutOrigin",
  "onConnect",
  "onMessage",
  "holdsBack",
  "modal",
  "isGone",
  "rename",
  "tell",
  "fail",
  "observe",
  "finish",
];

/** One classic script without imports: the template that `renderScript` fills for each merchant. */
export default defineConfig({
  logLevel: "warn",
  build: {
    target: "es2022",
    outDir: "dist",
    // The TypeScript build writes to the same folder.
    emptyOutDir: false,
    minify: "terser",
    terserOptions: {
      ecma: 2020,
      compress: { passes: 3, pure_getters: true, unsafe_arrows: true, unsafe_methods: true },
      mangle: { properties: { regex: new RegExp(`^(${INNER_NAMES.join("|")})$`) } },
    },
    lib: {
      entry: "src/script.ts",
      name: "exchangeScript",
      formats: ["iife"],
      fileName: () => "exchange.template.js",
    },
  },
});
