import type { Rpc } from "../rpc.ts";
import { type CoinReaderOptions, openCoinQuorum } from "./reader.ts";

/** The most coins of one request. */
const COINS_AT_ONCE = 100;

/**
 * Returns those of our coins that a transaction spends which no block has. One node that has it is enough: a transaction
 * in the memory of any node may be mined.
 */
export async function readUnminedSpends<Coin extends { readonly outpoint: string }>(
  options: CoinReaderOptions,
  coins: readonly Coin[],
): Promise<readonly Coin[]> {
  const quorum = openCoinQuorum(options);
  const ask = async (rpc: Rpc): Promise<readonly Coin[]> => {
    const spent: Coin[] = [];
    for (let from = 0; from < coins.length; from += COINS_AT_ONCE) {
      const some = coins.slice(from, from + COINS_AT_ONCE);
      const inPool = await areUnspent(rpc, some, { withPool: true });
      const inBlocks = await areUnspent(rpc, some, { withPool: false });
      spent.push(...some.filter((_, at) => inBlocks[at] && !inPool[at]));
    }
    return spent;
  };
  try {
    const answers = await quorum.collect({ what: "unconfirmed spends", ask });
    const found = new Set(answers.flatMap(({ value }) => value));
    return coins.filter((coin) => found.has(coin));
  } finally {
    await quorum.close();
  }
}

async function areUnspent(
  rpc: Rpc,
  coins: readonly { readonly outpoint: string }[],
  { withPool }: { readonly withPool: boolean },
): Promise<readonly boolean[]> {
  const calls = coins.map(({ outpoint }) => {
    const [hash = "", output] = outpoint.split(":");
    return ["gettxout", hash, Number(output), withPool] as const;
  });
  const answers = calls.length === 0 ? [] : await rpc.ask(calls);
  return answers.map((answer) => answer !== null);
}
