// The local Litecoin chain: litecoind on regtest, with the wallets of a miner and of the demo's customer. After each
// block its data is on disk, so a killed node loses its newest block at most.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "./program.mjs";

/** The blocks with which a block is final, its own included. */
export const COIN_DEPTH = 5;
/** The demo's customer. The service has nothing to do with its wallet. */
const CUSTOMER = "customer";
const MINER = "miner";
/** The first blocks pay the wallets, 50 coins each. A miner's coins are young for a hundred blocks. */
const MINER_BLOCKS = 60;
const CUSTOMER_BLOCKS = 10;
const YOUNG_BLOCKS = 100;
/** The script OP_TRUE: later blocks pay neither wallet. */
const NOBODY = "raw(51)#8lvh9jxk";
/** Several coins, so that several payouts run at once. */
const HOT_COINS = 20;
const HOT_COIN = "100";

/** Starts litecoind on the data in the folder, or on a new chain. Resolves when its wallets are open. */
export async function startCoinNode({ folder, port, litecoindPath }) {
  const data = join(folder, "litecoin");
  const isNew = !existsSync(join(data, "regtest"));
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const { name, password } = writeSettings(data, port);
  const address = `127.0.0.1:${port}`;
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
  const callAt = (path, method, params) =>
    callNode(`http://${address}${path}`, { method, params, authorization });
  const call = (method, ...params) => callAt("/", method, params);
  const ofWallet = (wallet, method, ...params) => callAt(`/wallet/${wallet}`, method, params);
  const program = startProgram({
    name: "litecoind",
    file: litecoindPath,
    words: [`-datadir=${data}`, "-printtoconsole=0"],
    folder,
  });
  const node = {
    url: `http://${name}:${password}@${address}/`,
    pid: program.pid,
    ended: program.ended,
    stop: () => program.stop("SIGTERM"),
    call,
    ofWallet,
    isNew,
  };
  try {
    await program.waitFor(() => call("getblockchaininfo"));
    for (const wallet of [MINER, CUSTOMER]) await openWallet(node, wallet);
    if (isNew) await mineFirst(node);
  } catch (error) {
    await node.stop();
    throw error;
  }
  return node;
}

/**
 * Writes the node's settings, so that `litecoin-cli -datadir` finds the node too. The extension block is off: on
 * regtest no block after 431 would be valid without coins in it.
 */
function writeSettings(data, port) {
  const file = join(data, "litecoin.conf");
  const old = existsSync(file) ? readFileSync(file, "utf8") : "";
  const password = /^rpcpassword=(.+)$/m.exec(old)?.[1] ?? randomBytes(24).toString("base64url");
  const name = "exchange";
  const lines = [
    ...["regtest=1", "server=1", "listen=0", "dnsseed=0", "upnp=0", "dbcache=16"],
    ...["fallbackfee=0.0001", "vbparams=mweb:-2:0", `rpcuser=${name}`, `rpcpassword=${password}`],
    ...["[regtest]", "connect=0", `rpcport=${port}`, "rpcbind=127.0.0.1", "rpcallowip=127.0.0.1"],
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  return { name, password };
}

async function callNode(url, { method, params, authorization }) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function openWallet({ call }, wallet) {
  const { wallets } = await call("listwalletdir");
  const isThere = wallets.some(({ name }) => name === wallet);
  if (!isThere) return call("createwallet", wallet);
  const open = await call("listwallets");
  return open.includes(wallet) ? undefined : call("loadwallet", wallet);
}

async function mineFirst(node) {
  const addressOf = (wallet) => node.ofWallet(wallet, "getnewaddress");
  await node.call("generatetoaddress", MINER_BLOCKS, await addressOf(MINER));
  await node.call("generatetoaddress", CUSTOMER_BLOCKS, await addressOf(CUSTOMER));
  await mineCoins(node, YOUNG_BLOCKS);
}

/** Mines blocks and has the node write them to disk, which counting its coins does. */
export async function mineCoins({ call }, blocks = 1) {
  await call("generatetodescriptor", blocks, NOBODY);
  await call("gettxoutsetinfo", "none");
}

export const hasPendingCoins = async ({ call }) => (await call("getrawmempool")).length > 0;

/**
 * Pays the float to the hot wallet, once. The service finds coins in the blocks that follow its first look, so this is
 * done when it runs.
 */
export async function fundHotWallet(node, addressAt) {
  const funded = await node.ofWallet(MINER, "listtransactions", "*", HOT_COINS);
  if (funded.some(({ category }) => category === "send")) return;
  const addresses = await addressAt(HOT_COINS);
  const payments = Object.fromEntries(addresses.map((address) => [address, HOT_COIN]));
  await node.ofWallet(MINER, "sendmany", "", payments);
}
