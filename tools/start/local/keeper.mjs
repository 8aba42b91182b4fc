// The process that owns the local chains and their signer. It has a process group of its own, so Ctrl-C reaches the
// service first. It stops both when its parent says so or has ended, however that happened.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillWallets, placeTokens, readAssets } from "./coins.mjs";
import {
  COIN_DEPTH,
  fundHotWallet,
  hasPendingCoins,
  mineCoins,
  startCoinNode,
} from "./litecoin.mjs";
import { keepMining } from "./mining.mjs";
import { CHAIN_ID, FINAL_DEPTH, hasPending, mine, startNode } from "./node.mjs";
import { ensureSignerFolder, INSTALLATION, startSigner, WALLETS } from "./signer.mjs";

const settings = JSON.parse(process.argv[2]);
const { folder } = settings;
/** How to stop each program that was started. The newest is first. */
const stops = [];
let isStopping = false;

process.on("disconnect", () => void stopAll(0));
const served = new Promise((onServed) => {
  process.on("message", (message) => {
    if (message?.type === "stop") void stopAll(0);
    if (message?.type === "served") onServed();
  });
});
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
  writeKeeperFile({ pid: process.pid, programs: [signer.pid, node.pid] });
  const coinNode = settings.litecoindPath && (await startCoins(signer));
  if (coinNode) {
    writeKeeperFile({ pid: process.pid, programs: [signer.pid, node.pid, coinNode.pid] });
  }
  const [customer] = await node.call("eth_accounts");
  const ether = assets.filter(({ network }) => network === "ethereum");
  await placeTokens(node, ether);
  if (node.isNew) await fillWallets(node, ether, { hot: signer.hot, customer });
  // The node has forgotten the states of older blocks, so the final block must be one that is mined here.
  await mine(node, folder, FINAL_DEPTH + 1);
  const { hash: genesis } = await node.call("eth_getBlockByNumber", "0x0", false);
  writeRailsFile({
    signer,
    ethereum: evmChoices(node, signer, genesis),
    ...(coinNode && { litecoin: coinChoices(coinNode, signer) }),
  });
  const mining = keepMining({
    name: "anvil",
    hasPending: () => hasPending(node),
    mine: () => mine(node, folder),
  });
  stops.unshift(mining.stop);
  for (const end of [signer.ended, node.ended, mining.failed]) void end.then(fail);
  if (isStopping) return;
  process.send?.({ type: "ready", url: node.url, customer, coinUrl: coinNode?.url });
}

/** Runs Litecoin. Its hot wallet is paid when the service looks for coins. */
async function startCoins(signer) {
  const node = await startCoinNode({ ...settings, port: settings.coinPort });
  stops.unshift(node.stop);
  const mining = keepMining({
    name: "litecoind",
    hasPending: () => hasPendingCoins(node),
    mine: () => mineCoins(node),
  });
  stops.unshift(mining.stop);
  for (const end of [node.ended, mining.failed]) void end.then(fail);
  void served
    .then(() => fundHotWallet(node, signer.coins.addressesOf))
    .catch((e) => fail(e.message));
  return node;
}

/** The next start reads who owns the folder. */
function writeKeeperFile(content) {
  writeFileSync(join(folder, "keeper.json"), JSON.stringify(content), { mode: 0o600 });
}

function evmChoices({ url }, signer, genesis) {
  return {
    kind: "evm",
    chainId: CHAIN_ID,
    genesis,
    endpoints: [{ name: "local", url, trust: "own" }],
    finality: { tag: "finalized", atLeast: FINAL_DEPTH + 1 },
    scan: { pollMs: 500, balancesSeconds: 10 },
    deposits: { xpub: signer.xpub, wallet: WALLETS.deposits },
    ...(settings.explorer !== undefined && { explorer: settings.explorer }),
    hot: { wallet: WALLETS.hot, address: signer.hot },
  };
}

function coinChoices({ url }, { coins }) {
  return {
    kind: "utxo",
    coin: "litecoin",
    chain: "regtest",
    endpoints: [{ name: "local", url, trust: "own" }],
    // Somebody waits at the screen, so large amounts take no longer.
    finality: { atLeast: COIN_DEPTH, large: { aboveEuro: "1000", atLeast: COIN_DEPTH } },
    scan: { pollMs: 500 },
    deposits: { xpub: coins.xpub },
    ...(settings.explorer !== undefined && { explorer: settings.explorer }),
    hot: { wallet: WALLETS.coins, xpub: coins.hot },
  };
}

function writeRailsFile({ signer: { socket, releaseKeyFile }, ...chains }) {
  const file = { signer: { socket, releaseKeyFile, installation: INSTALLATION }, chains };
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
