import { type BlockName, Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import { EndpointFault, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { listOf, objectOf, wholeOf } from "./endpoints.ts";

/** A block. Its height is its slot; `number` counts the blocks up to it, without the slots that have none. */
export interface SolanaBlock extends BlockName {
  readonly number: bigint;
}

interface NodeBlock {
  readonly blockhash?: unknown;
  readonly previousBlockhash?: unknown;
  readonly blockHeight?: unknown;
}

const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/**
 * Codes of a slot without a block, of a block that is not there yet, and of a node that has not reached a slot. The first two
 * also mean that the node lacks the slot's block.
 */
const SKIPPED: ReadonlySet<unknown> = new Set([-32_007, -32_009]);
const NOT_YET: ReadonlySet<unknown> = new Set([-32_004, -32_014]);

const questionAbout = (slot: bigint): RpcCall => [
  "getBlock",
  Number(slot),
  // A final block is confirmed too.
  { commitment: "confirmed", transactionDetails: "none", rewards: false },
];

/** The hash of a slot that has no block, so that it differs from that of a block which was dropped. */
export const NO_BLOCK = "skipped";

/** Returns a block, or null where the endpoint does not have it yet. */
export async function readBlock(rpc: Rpc, slot: bigint): Promise<SolanaBlock | null> {
  try {
    const [answer] = await rpc.ask([questionAbout(slot)]);
    const block = objectOf<NodeBlock>(rpc, answer, `block ${slot}`);
    if (block === null) return null;
    const { blockhash: hash, previousBlockhash: parent, blockHeight } = block;
    if (!isHash(hash) || !isHash(parent)) {
      throw new EndpointFault(rpc.name, `block ${slot} has no hash`);
    }
    return { height: slot, hash, parent, number: wholeOf(rpc, blockHeight, "block height") };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (NOT_YET.has(error.code)) return null;
    if (!SKIPPED.has(error.code)) throw error;
    return { height: slot, hash: NO_BLOCK, parent: NO_BLOCK, number: 0n };
  }
}

const isHash = (value: unknown): value is string => typeof value === "string" && HASH.test(value);

/** Returns the block that enough endpoints have. An endpoint without it is behind, which is not a reorganisation. */
export async function agreeOnBlock(quorum: Quorum, slot: bigint): Promise<SolanaBlock> {
  const what = `block ${slot}`;
  const block = await quorum.agree({
    what,
    ask: (rpc) => readBlock(rpc, slot),
    keyOf: (found) => (found === null ? undefined : `${found.hash} ${found.number}`),
  });
  if (block) return block;
  throw new Disagreement(what);
}

/** Returns the slots from one to another that have a block. */
export async function readSlots(rpc: Rpc, from: bigint, to: bigint): Promise<readonly bigint[]> {
  const call = ["getBlocks", Number(from), Number(to), { commitment: "confirmed" }] as const;
  const [answer] = await rpc.ask([call]);
  return listOf<unknown>(rpc, answer, "blocks").map((slot) => wholeOf(rpc, slot, "slot"));
}

/** Returns the first `count` slots that have a block, from this one on. */
export async function readSlotsFrom(
  rpc: Rpc,
  from: bigint,
  count: bigint,
): Promise<readonly bigint[]> {
  const words = { commitment: "confirmed" } as const;
  const [answer] = await rpc.ask([["getBlocksWithLimit", Number(from), Number(count), words]]);
  return listOf<unknown>(rpc, answer, "blocks").map((slot) => wholeOf(rpc, slot, "slot"));
}

/**
 * Returns whether the slots from the first block to the last one are those of every block. A node that began again from a
 * snapshot leaves out the blocks that it lacks, and neither says so nor knows their transactions.
 */
export const isEachBlock = (
  slots: readonly bigint[],
  [first, last]: readonly [SolanaBlock, SolanaBlock],
): boolean => BigInt(slots.length - 1) === last.number - first.number;
