import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "./tracked.mjs";

const CHECKOUT = "apps/checkout/dist";
const CONSOLE = "apps/console/dist";

/** Budgets of the files that a customer's browser loads, in bytes after gzip: of all files, or of `each`. */
const BUDGETS = [
  {
    what: "exchange.js",
    folder: "sdk/browser/dist",
    pattern: /^exchange\.template\.js$/,
    bytesMax: 5_000,
  },
  {
    what: "exchange-button.js",
    folder: "sdk/browser/dist",
    pattern: /^exchange-button\.js$/,
    bytesMax: 1_600,
  },
  { what: "checkout first JS", folder: CHECKOUT, pattern: /^first-.*\.js$/, bytesMax: 35_000 },
  { what: "checkout later JS", folder: CHECKOUT, pattern: /^later-.*\.js$/, bytesMax: 31_500 },
  { what: "checkout QR code", folder: CHECKOUT, pattern: /^qr-[\w-]{8}\.js$/, bytesMax: 5_000 },
  { what: "checkout scanner", folder: CHECKOUT, pattern: /^qr-scanner-.*\.js$/, bytesMax: 1_000 },
  { what: "checkout marks", folder: CHECKOUT, pattern: /^marks-.*\.js$/, bytesMax: 3_000 },
  { what: "checkout look", folder: CHECKOUT, pattern: /^look-.*\.js$/, bytesMax: 1_400 },
  // All of it, so that no file escapes a budget by its name.
  { what: "checkout JS", folder: CHECKOUT, pattern: /^(?!locale-).*\.js$/, bytesMax: 75_000 },
  { what: "checkout text", folder: CHECKOUT, pattern: /^locale-/, each: true, bytesMax: 6_000 },
  { what: "checkout CSS", folder: CHECKOUT, pattern: /\.css$/, bytesMax: 8_000 },
  // The first load is these files, one screen and one language: 60 kB at most. All shared files count, though a screen loads a few.
  {
    what: "console first JS and CSS",
    folder: CONSOLE,
    pattern: /^((first|start|shared)-.*\.js|.*\.css)$/,
    bytesMax: 33_500,
  },
  {
    what: "console screen",
    folder: CONSOLE,
    pattern: /^(?!first-|start-|shared-|locale-).*\.js$/,
    each: true,
    bytesMax: 7_000,
  },
  { what: "console text", folder: CONSOLE, pattern: /^locale-/, each: true, bytesMax: 18_000 },
];

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile());
}

/** Measures the files of every budget. `bytes` is undefined where nothing was built. */
export function measureSizes(budgets = BUDGETS, root = ROOT) {
  return budgets.map(({ what, folder, pattern, bytesMax, each = false }) => {
    const files = filesBelow(path.join(root, folder)).filter((file) =>
      pattern.test(path.basename(file)),
    );
    const sizes = files.map((file) => gzipSync(readFileSync(file)).length);
    const bytes = each ? Math.max(...sizes) : sizes.reduce((sum, size) => sum + size, 0);
    const isBuilt = files.length > 0;
    return { what, folder, bytesMax, files: files.length, bytes: isBuilt ? bytes : undefined };
  });
}

export function checkSizes(budgets = BUDGETS, root = ROOT) {
  const sizes = measureSizes(budgets, root);
  const faults = sizes.flatMap(({ what, folder, bytes, bytesMax }) => {
    if (bytes === undefined) return [`${what}: nothing built in ${folder}`];
    if (bytes <= bytesMax) return [];
    return [`${what}: ${bytes} bytes gzip, the budget is ${bytesMax}`];
  });
  return { looked: sizes.reduce((sum, { files }) => sum + files, 0), faults };
}
