import { withPrefix } from "../../../apps/server/src/testing/coin-wallet.ts";
import { COIN_XPUB, unspentAt } from "./coin-world.ts";
import { LITECOIND_PATH, startLitecoind } from "./litecoind.ts";
import { startProxy } from "./lying-proxy.ts";

const MAIN = { coin: "litecoin", chain: "main" } as const;
/** The first block of Litecoin's main chain. */
const GENESIS = "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2";
/** The oldest release that the service takes on the main chain. */
const VERSION = "210504";

/** A node of regtest that says that it follows the main chain. Addresses are those of the main chain. */
export interface ProdLitecoin {
  /** The member of the rails file. */
  railsOf(xpub: string | null | undefined): object;
  newAddress(): Promise<string>;
  pay(address: string, coins: string): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Returns the units of an address, by the node's own set of coins. */
  holds(address: string): Promise<bigint>;
  /** Returns the number of transactions that no block has. */
  inMempool(): Promise<number>;
  close(): Promise<void>;
}

/** Returns undefined where there is no litecoind. */
export async function startProdLitecoin(): Promise<ProdLitecoin | undefined> {
  if (LITECOIND_PATH === "") return undefined;
  const node = await startLitecoind();
  const proxy = await startProxy(node.openUrl);
  proxy.behaviour = {
    rewrite: ({ method, params }, result) => {
      if (method === "getblockchaininfo") return { ...(result as object), chain: MAIN.chain };
      if (method === "getnetworkinfo") return { ...(result as object), version: VERSION };
      return method === "getblockhash" && params[0] === 0 ? GENESIS : result;
    },
  };
  const { username, password } = new URL(node.url);
  const url = Object.assign(new URL(proxy.url), { username, password }).href;
  await node.call("createwallet", "stranger");
  const own: string = await node.call("getnewaddress");
  const mine = async (blocks: number): Promise<void> => {
    await node.call("generatetoaddress", blocks, own);
  };
  await mine(110);
  return {
    railsOf: (xpub) => ({
      ...{ kind: "utxo", ...MAIN, endpoints: [{ name: "own", url, trust: "own" }] },
      finality: { atLeast: 2 },
      scan: { pollMs: 200 },
      deposits: { xpub: COIN_XPUB },
      hot: { wallet: "litecoin-hot", xpub },
    }),
    newAddress: async () => withPrefix(await node.call("getnewaddress", "", "bech32"), "ltc"),
    pay: async (address, coins) => {
      await node.call("sendtoaddress", withPrefix(address, "rltc"), coins);
    },
    mine,
    holds: async (address) =>
      (await unspentAt(node, withPrefix(address, "rltc"))).reduce(
        (sum, { units }) => sum + units,
        0n,
      ),
    inMempool: async () => (await node.call<string[]>("getrawmempool")).length,
    close: async () => {
      await proxy.close();
      await node.remove();
    },
  };
}
