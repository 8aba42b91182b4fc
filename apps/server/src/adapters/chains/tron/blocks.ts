import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { BlockName } from "../../../domain/ports/chain-reader.ts";
import type { ReadBlock } from "../evm/blocks.ts";
import { hexOf, type RpcTransaction, type Words, wordsOf } from "../evm/words.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { readInstruction } from "./raw-data.ts";

/** A block has some hundred transactions, which are half a megabyte. */
const BLOCKS_AT_ONCE = 10;
const BYTES = /^([0-9a-f]{2})+$/;
const HEIGHT = /^[1-9][0-9]{0,18}$/;

/** The words of a node's own interface. Numbers are text. */
interface NodeBlock {
  readonly blockID?: unknown;
  readonly block_header?: {
    readonly raw_data?: { readonly number?: unknown; readonly parentHash?: unknown };
  };
  readonly transactions?: unknown;
}

interface NodeTransaction {
  readonly txID?: unknown;
  readonly raw_data_hex?: unknown;
  readonly ret?: readonly { readonly contractRet?: unknown }[];
}

/**
 * Returns the blocks above `from`, each with the hash of the one before it as its parent. Ethereum's JSON-RPC does not tell
 * TRX from other tokens, so the transactions are read from their own bytes.
 */
export async function readTronBlocks(
  rpc: Rpc,
  { from, to }: { readonly from: BlockName; readonly to: bigint },
): Promise<readonly ReadBlock[] | undefined> {
  const words = wordsOf(rpc.name);
  const chain: ReadBlock[] = [];
  for (let low = from.height + 1n; low <= to; low += BigInt(BLOCKS_AT_ONCE)) {
    const rest = Number(to - low) + 1;
    const count = Math.min(rest, BLOCKS_AT_ONCE);
    const range = { startNum: Number(low), endNum: Number(low) + count };
    const [answer] = await rpc.ask([["/wallet/getblockbylimitnext", range]]);
    const { block: list = [] } = words.object<{ block?: unknown }>(answer) ?? {};
    const blocks = words.list<NodeBlock>(list).map((block) => readBlock(rpc, words, block));
    blocks.sort((a, b) => Number(a.name.height - b.name.height));
    for (const [index, block] of blocks.entries()) {
      const { height, parent } = block.name;
      if (index >= count || height > low + BigInt(index)) return undefined;
      if (height !== low + BigInt(index)) {
        throw new EndpointFault(rpc.name, `asked for block ${low + BigInt(index)}, got ${height}`);
      }
      if (parent !== (chain.at(-1)?.name ?? from).hash) return undefined;
      chain.push(block);
    }
    if (blocks.length < count) return undefined;
  }
  return chain;
}

function readBlock(rpc: Rpc, words: Words, { blockID, ...block }: NodeBlock): ReadBlock {
  const { number, parentHash } = block.block_header?.raw_data ?? {};
  if (typeof number !== "string" || !HEIGHT.test(number)) {
    throw new EndpointFault(rpc.name, "a block has no number");
  }
  const height = BigInt(number);
  const name = {
    height,
    hash: words.hash(`0x${String(blockID)}`),
    parent: words.hash(`0x${String(parentHash)}`),
  };
  const transactions = words.list<NodeTransaction>(block.transactions ?? []);
  return { name, transactions: transactions.flatMap((one) => readTransaction(rpc, one) ?? []) };
}

/** Returns the transaction in the form of Ethereum's JSON-RPC. Only TRX that moved from account to account is its value. */
function readTransaction(
  rpc: Rpc,
  { txID, raw_data_hex, ret }: NodeTransaction,
): RpcTransaction | undefined {
  const text = typeof raw_data_hex === "string" && BYTES.test(raw_data_hex) ? raw_data_hex : "";
  const bytes = hexToBytes(text);
  if (bytesToHex(sha256(bytes)) !== txID) {
    throw new EndpointFault(rpc.name, `the bytes of transaction ${String(txID)} have another id`);
  }
  const instruction = readInstruction(bytes);
  if (!instruction) return undefined;
  const { owner, transfer } = instruction;
  const isGood = ret?.length === 1 && ret[0]?.contractRet === "SUCCESS";
  const moved = isGood && transfer ? transfer : { to: null, units: 0n };
  return { hash: `0x${txID}`, from: owner, to: moved.to, value: hexOf(moved.units) };
}
