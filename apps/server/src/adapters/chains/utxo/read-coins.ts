import type {
  CoinSpend,
  ReadCoin,
  ReadCoins,
  WalletMovement,
} from "../../../domain/ports/chain-reader.ts";
import type { Rpc } from "../rpc.ts";
import { type CoinOutput, type CoinSearch, movementsOf } from "./coin-movements.ts";
import { type NodeInput, type NodeOutput, type NodeTransaction, nodeWordsOf } from "./words.ts";

export interface ReadBlock {
  readonly height: bigint;
  readonly hash: string;
  readonly transactions: unknown;
}

/** Finds our coins in one block after the other, and what each transaction changed at our wallets. */
export interface CoinFinder {
  read(rpc: Rpc, block: ReadBlock): void;
  found(): {
    readonly coins: ReadCoins | undefined;
    readonly walletMovements: readonly WalletMovement[];
  };
}

/** The blocks after which a coin may be spent: of a miner, from Litecoin's extension block, and any other. */
const YOUNG_BLOCKS = { miner: 100n, extension: 6n, other: 1n } as const;
/** The first output of the transaction that brings coins from the extension block: version 8, 32 bytes. */
const EXTENSION_SCRIPT = /^5820[0-9a-f]{64}$/;

export function openCoins(search: CoinSearch): CoinFinder {
  const { wallet, deposits } = search;
  const coins = new Map(search.unspent.map((coin) => [coin.outpoint, coin]));
  const made: ReadCoin[] = [];
  const spent: CoinSpend[] = [];
  const walletMovements: WalletMovement[] = [];
  const read: CoinFinder["read"] = (rpc, { height, hash, transactions }) => {
    for (const transaction of nodeWordsOf(rpc.name).list<NodeTransaction>(transactions)) {
      const inputs = readInputs(rpc, transaction);
      const own = inputs.flatMap((outpoint) => coins.get(outpoint) ?? []);
      const outputs = readOutputs(rpc, transaction, (script) => {
        // Of a transaction that spends our coins every output counts, of any other those to us.
        return own.length > 0 || deposits.has(script) || wallet?.paths.has(script) === true;
      });
      if (outputs.length === 0 && own.length === 0) continue;
      const transactionHash = nodeWordsOf(rpc.name).hash(transaction.txid);
      for (const { outpoint, address } of own) {
        coins.delete(outpoint);
        if (address === null) spent.push({ outpoint, transactionHash, height });
      }
      const youngBlocks = YOUNG_BLOCKS[kindOf(rpc, transaction, inputs)];
      for (const { number, script, units } of outputs) {
        const path = wallet?.paths.get(script);
        const address = deposits.get(script);
        if (path === undefined && address === undefined) continue;
        const outpoint = `${transactionHash}:${number}`;
        coins.set(outpoint, { outpoint, units, address: path ? null : (address ?? null) });
        if (path) made.push({ ...path, outpoint, units, height, maturesAt: height + youngBlocks });
      }
      const facts = { transactionHash, height, blockHash: hash, inputs, own, outputs };
      walletMovements.push(...movementsOf(facts, search));
    }
  };
  const found: CoinFinder["found"] = () => ({
    coins: wallet && { account: wallet.account, made, spent },
    walletMovements,
  });
  return { read, found };
}

/** Returns the outpoints that a transaction spends. A miner's transaction has none. */
function readInputs(rpc: Rpc, { vin }: NodeTransaction): readonly string[] {
  const words = nodeWordsOf(rpc.name);
  return words
    .list<NodeInput>(vin)
    .flatMap(({ txid, vout }) =>
      txid === undefined || vout === undefined ? [] : [`${words.hash(txid)}:${words.whole(vout)}`],
    );
}

function readOutputs(
  rpc: Rpc,
  { vout }: NodeTransaction,
  isWanted: (script: string) => boolean,
): readonly CoinOutput[] {
  const words = nodeWordsOf(rpc.name);
  return words.list<NodeOutput>(vout).flatMap((output) => {
    const script = words.bytes(output.scriptPubKey?.hex);
    const units = isWanted(script) ? words.units(output.value) : 0n;
    return units === 0n ? [] : [{ number: words.whole(output.n), script, units }];
  });
}

function kindOf(
  rpc: Rpc,
  { vout }: NodeTransaction,
  inputs: readonly string[],
): keyof typeof YOUNG_BLOCKS {
  if (inputs.length === 0) return "miner";
  const words = nodeWordsOf(rpc.name);
  const [first] = words.list<NodeOutput>(vout);
  const isExtension = EXTENSION_SCRIPT.test(words.bytes(first?.scriptPubKey?.hex ?? ""));
  return isExtension ? "extension" : "other";
}
