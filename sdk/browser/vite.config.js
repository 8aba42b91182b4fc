import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineConfig } from "vite";

const require = createRequire(import.meta.url);

/** Types for pages beside the script, made of what the TypeScript build wrote before. */
const pageTypes = {
  name: "page-types",
  async generateBundle() {
    const { renderTypes } = await import("./dist/render-types.js");
    const { OPERATION_TYPES, ORDER_STATUSES, PAYMENT_OUTCOMES } = await import(
      "@exchange/contract"
    );
    const contract = require.resolve("@exchange/contract/frame").replace(/\.js$/, ".d.ts");
    const fileOf = (module) =>
      module === "frame" ? contract : new URL(`dist/${module}.d.ts`, import.meta.url);
    const source = renderTypes({
      declarationOf: (module) => readFileSync(fileOf(module), "utf8"),
      operationTypes: OPERATION_TYPES,
      orderStatuses: ORDER_STATUSES,
      paymentOutcomes: PAYMENT_OUTCOMES,
    });
    this.emitFile({ type: "asset", fileName: "page/exchange.d.ts", source });
  },
};

/**
 * Names of our own that are properties, and may be shortened: none of them is in the documented
 * interface, in the protocol or in the platform. What is not in this list keeps its name.
 */
const INNER_NAMES = [
  "script",
  "emit",
  "check",
  "clear",
  "frameWindow",
  "checkoutOrigin",
  "onConnect",
  "onMessage",
  "holdsBack",
  "words",
  "colours",
  "modal",
  "isGone",
  "rename",
  "noteEvent",
  "noteFrameEvent",
  "noteEnd",
  "welcomeFrame",
  "takeMessage",
  "fail",
  "loadFrame",
  "showFrame",
  "holdSteps",
  "releaseSteps",
];

/** One classic script without imports: the template that `renderScript` fills for each merchant. */
export default defineConfig({
  logLevel: "warn",
  plugins: [pageTypes],
  build: {
    target: "es2022",
    outDir: "dist",
    // The TypeScript build writes to the same folder.
    emptyOutDir: false,
    minify: "terser",
    terserOptions: {
      ecma: 2020,
      // Vite's own default works around a browser that cannot run this script anyway.
      safari10: false,
      compress: { passes: 8, pure_getters: true, unsafe_arrows: true, unsafe_methods: true },
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
