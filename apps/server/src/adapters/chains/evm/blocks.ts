import type { BlockName } from "../../../domain/ports/chain-reader.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { hexOf, type RpcBlock, type RpcTransaction, type Words, wordsOf } from "./words.ts";

const BLOCKS_AT_ONCE = 20;

/** A block with its transactions. */
export interface ReadBlock {
  readonly name: BlockName;
  readonly transactions: readonly RpcTransaction[];
}

/**
 * Returns the blocks above `from`, each with the hash of the one before it as its parent. Returns undefined where the
 * endpoint lacks a block, or has another branch.
 */
export async function readBlocks(
  rpc: Rpc,
  { from, to }: { readonly from: BlockName; readonly to: bigint },
): Promise<readonly ReadBlock[] | undefined> {
  const words = wordsOf(rpc.name);
  const chain: ReadBlock[] = [];
  for (let low = from.height + 1n; low <= to; low += BigInt(BLOCKS_AT_ONCE)) {
    const count = Number(to - low) + 1;
    const calls = Array.from(
      { length: Math.min(count, BLOCKS_AT_ONCE) },
      (_, index): RpcCall => ["eth_getBlockByNumber", hexOf(low + BigInt(index)), true],
    );
    for (const [index, answer] of (await rpc.ask(calls)).entries()) {
      const block = words.object<RpcBlock>(answer);
      if (!block) return undefined;
      const name = blockName(words, block);
      if (name.height !== low + BigInt(index)) {
        throw new EndpointFault(
          rpc.name,
          `asked for block ${low + BigInt(index)}, got ${name.height}`,
        );
      }
      if (name.parent !== (chain.at(-1)?.name ?? from).hash) return undefined;
      chain.push({ name, transactions: words.list<RpcTransaction>(block.transactions) });
    }
  }
  return chain;
}

export const blockName = (words: Words, block: RpcBlock): BlockName => ({
  height: words.quantity(block.number),
  hash: words.hash(block.hash),
  parent: words.hash(block.parentHash),
});
