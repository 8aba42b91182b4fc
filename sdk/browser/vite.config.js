import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { minify } from "terser";
import { defineConfig } from "vite";

const require = createRequire(import.meta.url);

/** Types for pages beside the script, made of what the TypeScript build wrote before: a package ready to publish. */
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
    const { version, license } = require("./package.json");
    const manifest = {
      name: "@exchange/browser-types",
      version,
      description:
        "Types of exchange.js and <exchange-button>, for pages that load them with a tag.",
      license,
      types: "./exchange.d.ts",
      files: ["exchange.d.ts", "LICENSE"],
      publishConfig: { access: "public" },
    };
    const files = {
      "exchange.d.ts": source,
      "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
      LICENSE: readFileSync(new URL("../../LICENSE", import.meta.url), "utf8"),
    };
    for (const [name, text] of Object.entries(files)) {
      this.emitFile({ type: "asset", fileName: `page/${name}`, source: text });
    }
  },
};

/** The custom element, which imports nothing: its compiled module as one classic script. */
const button = {
  name: "button",
  async generateBundle() {
    const module = readFileSync(new URL("dist/button.js", import.meta.url), "utf8");
    const { code } = await minify(`(() => {${module.replace("export {};", "")}\n})();`, {
      ecma: 2020,
      compress: { passes: 4 },
    });
    this.emitFile({ type: "asset", fileName: "exchange-button.js", source: code });
  },
};

/**
 * Names of our own that are properties, and may be shortened: none of them is in the documented
 * interface, in the protocol or in the platform. Every other property keeps its name.
 */
const INNER_NAMES = [
  "script",
  "emit",
  "check",
  "clear",
  "frameWindow",
  "checkoutOrigin",
  "welcomeFrame",
  "leavePage",
  "takeMessage",
  "holdsBack",
  "words",
  "colours",
  "loadFrame",
  "holdSteps",
  "isGone",
  "rename",
  "noteEvent",
  "fail",
  "noteFrameEvent",
  "noteEnd",
  "place",
  "ask",
  "end",
  "send",
  "showFrame",
  "resizeFrame",
  "frameLoaded",
  "openSurface",
];

/**
 * Spells the same code with fewer different words, which gzip rewards. Private names become properties that the
 * minifier shortens: no page holds the object that has them.
 */
const fewerWords = {
  name: "fewer-words",
  renderChunk: (code) =>
    code.replace(/\bconst\b/g, "let").replace(/(?<=[.\s])#(?=[a-z]\w*\b)/g, "private_"),
};

/** One classic script without imports: the template that `renderScript` fills for each merchant. */
export default defineConfig({
  logLevel: "warn",
  plugins: [pageTypes, button, fewerWords],
  build: {
    target: "es2022",
    outDir: "dist",
    // The TypeScript build writes to the same folder.
    emptyOutDir: false,
    minify: "terser",
    // The minifier takes most of the time, which is not worth a warning at the first start.
    rolldownOptions: { checks: { pluginTimings: false } },
    terserOptions: {
      ecma: 2020,
      // Vite's own default works around a browser that cannot run this script anyway.
      safari10: false,
      compress: {
        passes: 8,
        pure_getters: true,
        unsafe_arrows: true,
        comparisons: false,
        lhs_constants: false,
        // It spells String() and templates as sums. Their values here are text and numbers, so the sums are the same.
        unsafe: true,
      },
      mangle: {
        properties: {
          // The platform has members of these names too, which this script does not use.
          builtins: true,
          regex: new RegExp(`^(private_.*|${INNER_NAMES.join("|")})$`),
        },
      },
    },
    lib: {
      entry: "src/script.ts",
      name: "exchangeScript",
      formats: ["iife"],
      fileName: () => "exchange.template.js",
    },
  },
});
