import { SYSTEM_PROGRAM } from "../../../domain/wallets/solana.ts";
import type { Rpc } from "../rpc.ts";
import { readAccounts } from "./accounts.ts";
import { isEachBlock, NO_BLOCK, readBlock, readSlots, type SolanaBlock } from "./blocks.ts";
import { listSignatures, type SlotRange } from "./signatures.ts";
import { readTransactions } from "./transactions.ts";

export interface QuietQuestion {
  /** The balances that the addresses have unless something happened to them. */
  readonly explainedBalances: ReadonlyMap<string, bigint>;
  /** The account from which the addresses derive. */
  readonly depositsAccount: string;
  readonly range: SlotRange;
  /** The last block of the range. */
  readonly last: SolanaBlock;
}

/** Half a day. A node lists the blocks of a limited number of slots. */
const SLOTS_ABOVE_MAX = 100_000n;
/** So many transactions are always read, in one request. */
const FEW_TRANSACTIONS = 50;
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the addresses that nothing happened to in the range, or undefined where the endpoint is behind. Coins leave a
 * deposit address only by a transaction that the account signs, which names the account. So an address that none of the
 * account's transactions names only receives, and one that has its balance of before received nothing. A balance is that of
 * the endpoint's newest block, so the account's transactions are read up to there.
 */
export async function findQuiet(
  rpc: Rpc,
  { explainedBalances, depositsAccount, range, last }: QuietQuestion,
): Promise<ReadonlySet<string> | undefined> {
  const from = last.height;
  const found = await readAccounts(rpc, [...explainedBalances.keys()], { commitment: "confirmed", from });
  if (!found) return undefined;
  const { newest, byAddress } = found;
  if (newest > from + SLOTS_ABOVE_MAX || !(await isIndexed(rpc, last, newest))) return NONE;
  const signatures = await listSignatures(rpc, [depositsAccount], { ...range, to: newest });
  // The addresses cost fewer questions than these.
  if (signatures.length > Math.max(explainedBalances.size, FEW_TRANSACTIONS)) return NONE;
  const signed = await readTransactions(rpc, signatures, "confirmed");
  const named = new Set<string>();
  for (const transaction of signed) {
    // The index of an endpoint may be ahead of its transactions.
    if (transaction === null) return undefined;
    for (const address of transaction.changes.keys()) named.add(address);
  }
  const quiet = [...explainedBalances].filter(([address, units]) => {
    const account = byAddress.get(address);
    // A program could move the coins of its own account.
    return account?.owner === SYSTEM_PROGRAM && account.lamports === units && !named.has(address);
  });
  return new Set(quiet.map(([address]) => address));
}

/**
 * Returns whether the endpoint has every block from one to the slot. It names a block once its index has the block's
 * transactions.
 */
async function isIndexed(rpc: Rpc, from: SolanaBlock, slot: bigint): Promise<boolean> {
  if (slot === from.height) return true;
  const slots = await readSlots(rpc, from.height, slot);
  const block = await readBlock(rpc, slot);
  return block !== null && block.hash !== NO_BLOCK && isEachBlock(slots, [from, block]);
}
