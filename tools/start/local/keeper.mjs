// The process that owns the local chain and its signer. It has a process group of its own, so Ctrl-C reaches the
// service first. It stops both when its parent says so or has ended, however that happened.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillWallets, placeTokens, readAssets } from "./coins.mjs";
import { CHAIN_ID, FINAL_DEPTH, keepMining, mine, startNode } from "./node.mjs";
import { ensureSignerFolder, INSTALLATION, startSigner, WALLETS } from "./signer.mjs";

const settings = JSON.parse(process.argv[2]);
const { folder } = settings;
/** How to stop each program that was started. The newest is first. */
const stops = [];
let isStopping = false;

process.on("disconnect", () => void stopAll(0));
process.on("message", (message) => message?.type === "stop" && void stopAll(0));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => void stopAll(0));
// The terminal may be gone.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await start();
} catch (error) {
  fail(error.message);
}

async function start() {
  writeKeeperFile({ pid: process.pid });
  const assets = readAssets(settings.catalogueDir);
  ensureSignerFolder(folder, assets);
  const signer = await startSigner(folder);
  stops.unshift(signer.stop);
  const node = await startNode(settings);
  stops.unshift(node.stop);
  writeKeeperFile({ pid: process.pid, node: node.pid, signer: signer.pid });
  const [customer] = await node.call("eth_accounts");
  await placeTokens(node, assets);
  if (node.isNew) await fillWallets(node, assets, { hot: signer.hot, customer });
  // The node has forgotten the states of older blocks, so the final block must be one that is mined here.
  await mine(node, folder, FINAL_DEPTH + 1);
  const { hash: genesis } = await node.call("eth_getBlockByNumber", "0x0", false);
  writeRailsFile({ genesis, url: node.url, signer });
  const mining = keepMining(node, folder);
  stops.unshift(mining.stop);
  for (const end of [signer.ended, node.ended, mining.failed]) void end.then(fail);
  if (isStopping) return;
  process.send?.({ type: "ready", url: node.url, customer });
}

/** The next start reads who owns the folder. */
function writeKeeperFile(content) {
  writeFileSync(join(folder, "keeper.json"), JSON.stringify(content), { mode: 0o600 });
}

function writeRailsFile({ genesis, url, signer }) {
  const ethereum = {
    kind: "evm",
    chainId: CHAIN_ID,
    genesis,
    endpoints: [{ name: "local", url, trust: "own" }],
    finality: { tag: "finalized", atLeast: 1 },
    scan: { pollMs: 500, balancesSeconds: 10 },
    deposits: { xpub: signer.xpub, wallet: WALLETS.deposits },
    ...(settings.explorer !== undefined && { explorer: settings.explorer }),
    hot: { wallet: WALLETS.hot, address: signer.hot },
  };
  const { socket, releaseKeyFile } = signer;
  const file = {
    signer: { socket, releaseKeyFile, installation: INSTALLATION },
    chains: { ethereum },
  };
  writeFileSync(settings.railsFile, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
}

function fail(message) {
  if (isStopping) return;
  process.send?.({ type: "failed", message });
  void stopAll(1);
}

async function stopAll(code) {
  if (isStopping) return;
  isStopping = true;
  for (const stop of stops) await stop();
  const file = join(folder, "keeper.json");
  if (JSON.parse(readFileSync(file, "utf8")).pid === process.pid) rmSync(file);
  process.exit(code);
}
