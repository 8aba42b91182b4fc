import type { CoinSpend, ReadCoin, ReadCoins } from "../../../domain/ports/chain-reader.ts";
import type { Rpc } from "../rpc.ts";
import { type NodeInput, type NodeOutput, type NodeTransaction, nodeWordsOf } from "./words.ts";

/** The scripts of a wallet of coins, each with the path to its key. */
export interface CoinScripts {
  /** The fingerprint of the wallet's account. */
  readonly account: string;
  readonly paths: ReadonlyMap<string, { readonly branch: 0 | 1; readonly keyIndex: number }>;
}

/** Finds a wallet's coins in one block after the other. */
export interface CoinFinder {
  read(rpc: Rpc, block: { readonly height: bigint; readonly transactions: unknown }): void;
  found(): ReadCoins;
}

/** The blocks after which a coin may be spent: of a miner, from Litecoin's extension block, and any other. */
const YOUNG_BLOCKS = { miner: 100n, extension: 6n, other: 1n } as const;
/** The first output of the transaction that brings coins from the extension block: version 8, 32 bytes. */
const EXTENSION_SCRIPT = /^5820[0-9a-f]{64}$/;

/** `unspent`: the wallet's coins that earlier blocks made. */
export function openCoins({ account, paths }: CoinScripts, unspent: readonly string[]): CoinFinder {
  const coins = new Set(unspent);
  const made: ReadCoin[] = [];
  const spent: CoinSpend[] = [];
  const read: CoinFinder["read"] = (rpc, { height, transactions }) => {
    const words = nodeWordsOf(rpc.name);
    for (const transaction of words.list<NodeTransaction>(transactions)) {
      const transactionHash = words.hash(transaction.txid);
      const inputs = words.list<NodeInput>(transaction.vin);
      for (const { txid, vout } of inputs) {
        if (txid === undefined || vout === undefined) continue;
        const outpoint = `${words.hash(txid)}:${words.whole(vout)}`;
        if (coins.delete(outpoint)) spent.push({ outpoint, transactionHash, height });
      }
      const outputs = words.list<NodeOutput>(transaction.vout);
      const [first] = outputs;
      const isMiner = inputs.every(({ txid }) => txid === undefined);
      const isExtension = EXTENSION_SCRIPT.test(words.bytes(first?.scriptPubKey?.hex ?? ""));
      const kind = isMiner ? "miner" : isExtension ? "extension" : "other";
      for (const output of outputs) {
        const path = paths.get(words.bytes(output.scriptPubKey?.hex));
        const units = path === undefined ? 0n : words.units(output.value);
        if (path === undefined || units === 0n) continue;
        const outpoint = `${transactionHash}:${words.whole(output.n)}`;
        coins.add(outpoint);
        made.push({ ...path, outpoint, units, height, maturesAt: height + YOUNG_BLOCKS[kind] });
      }
    }
  };
  return { read, found: () => ({ account, made, spent }) };
}
