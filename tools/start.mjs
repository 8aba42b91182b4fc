// `npm start`: installs missing packages, builds stale steps, then runs the service in this process and
// the demo shop beside it. `npm start -- --chains local` runs test chains as well. Plain JavaScript without
// dependencies: it runs before they are installed.
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "./start/arguments.mjs";

const ROOT = resolve(fileURLToPath(new URL("..", import.meta.url)));
const SHOP = resolve(ROOT, "examples/shop/dist/server.js");
const SHOP_TIMEOUT_MS = 15_000;
const startedAtMs = performance.now();

requireNode();
process.chdir(ROOT);
let chains;
try {
  const { hasLocalChains } = readArguments(process.argv.slice(2), process.env);
  const { install } = await import("./start/install.mjs");
  install({ log: progress });
  const { build } = await import("./build.mjs");
  build({ log: progress });
  if (hasLocalChains) {
    progress("starting the local chains");
    const { startLocalChains } = await import("./start/local-chains.mjs");
    chains = await startLocalChains({ root: ROOT, variables: process.env, log: progress });
  }
} catch (error) {
  console.error(`\n${error.message}`);
  process.exit(1);
}
const { runService, startService } = await import("../apps/server/dist/main.js");
await runService({
  startService: async (config, options) => {
    const service = await startService(config, options);
    chains?.served();
    return service;
  },
  startedAtMs,
  ...(existsSync(SHOP) ? { startShop } : {}),
  ...(chains && { companions: { ...chains, lines: chainLines(chains) } }),
});

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Node.js ${process.version} is too old. Install 20.19 or later; 24 is recommended.`,
  );
  process.exit(1);
}

function progress(line) {
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`  ${seconds.padStart(5)} s  ${line}`);
}

function chainLines({ url, coinUrl, folder, railsFile }) {
  const shopPort = process.env["SHOP_PORT"] || "8081";
  return [
    ...(shopPort === "0" ? [] : [`  Test wallet  http://localhost:${shopPort}/wallet`]),
    `  Test chain   ${url} (Ethereum, chain id 31337)`,
    ...(coinUrl ? [`  Litecoin     litecoin-cli -datadir='${folder}/litecoin' (regtest)`] : []),
    "",
    "The command line reaches this database and its chains after:",
    "",
    `  export PATH='${resolve(ROOT, "bin")}':"$PATH"`,
    `  export EXCHANGE_DATA_DIR='${folder}' EXCHANGE_RAILS_FILE='${railsFile}'`,
  ];
}

/** Forks the demo shop and waits until it serves. It ends with this process, whose channel closes. */
async function startShop(variables) {
  const node = chains && { SHOP_TEST_NODE: chains.url, SHOP_TEST_COIN_NODE: chains.coinUrl ?? "" };
  const shop = fork(SHOP, [], { env: { ...process.env, ...variables, ...node }, stdio: "inherit" });
  const url = await new Promise((onReady, onFailure) => {
    const fail = (why) => onFailure(startError(`The demo shop did not start: ${why}.`));
    const timer = setTimeout(() => fail("it was not ready in time"), SHOP_TIMEOUT_MS);
    shop.once("error", (error) => fail(error.message));
    shop.once("exit", (code, signal) =>
      fail(`it ended (${signal ?? code}); a line above may say why`),
    );
    shop.on("message", (message) => {
      if (message?.type !== "ready") return;
      clearTimeout(timer);
      onReady(message.url);
    });
  });
  return { url, stop: () => stopShop(shop) };
}

/** Returns an error that is printed as its sentence, without a stack. */
function startError(message) {
  return Object.assign(new Error(message), { name: "StartError" });
}

function stopShop(shop) {
  if (shop.exitCode !== null || shop.signalCode !== null) return Promise.resolve();
  return new Promise((onEnd) => {
    const timer = setTimeout(() => shop.kill("SIGKILL"), 3_000);
    shop.once("exit", () => {
      clearTimeout(timer);
      onEnd();
    });
    if (shop.connected) shop.disconnect();
  });
}
