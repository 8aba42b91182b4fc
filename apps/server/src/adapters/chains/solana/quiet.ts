import { setTimeout } from "node:timers/promises";
import { SYSTEM_PROGRAM } from "../../../domain/wallets/solana.ts";
import type { Rpc } from "../rpc.ts";
import { readAccounts } from "./accounts.ts";
import { isEachBlock, NO_BLOCK, readBlock, readSlots, type SolanaBlock } from "./blocks.ts";
import { QUESTIONS_AT_ONCE } from "./endpoints.ts";
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

/**
 * The addresses that nothing happened to. `unproven`: something may have happened to any of them. `behind`: the endpoint
 * cannot answer yet.
 */
export type QuietAnswer = ReadonlySet<string> | "unproven" | "behind";

/** Half a day. A node lists the blocks of a limited number of slots. */
const SLOTS_ABOVE_MAX = 100_000n;
/** A node indexes the transactions of a block a moment after it has its balances. */
const INDEX_PAUSE_MS = 400;

/**
 * Finds the addresses that nothing happened to in the range. Coins leave a deposit address only by a transaction that the
 * account signs, which names the account. So an address that none of the account's transactions names only receives. If
 * its balance is also unchanged, it received nothing. A balance is that of the endpoint's newest block, so the account's
 * transactions are read up to there.
 */
export async function findQuiet(
  rpc: Rpc,
  { explainedBalances, depositsAccount, range, last }: QuietQuestion,
): Promise<QuietAnswer> {
  const from = last.height;
  const addresses = [...explainedBalances.keys()];
  const found = await readAccounts(rpc, addresses, { commitment: "confirmed", from });
  if (!found) return "behind";
  const { newest, byAddress } = found;
  if (newest > from + SLOTS_ABOVE_MAX) return "unproven";
  const isIndexed = () => hasEachBlock(rpc, last, newest);
  if (!(await isIndexed()) && !(await setTimeout(INDEX_PAUSE_MS).then(isIndexed))) {
    // Many addresses are not listed for this. The next poll asks again.
    return addresses.length > QUESTIONS_AT_ONCE ? "behind" : "unproven";
  }
  const signatures = await listSignatures(rpc, [depositsAccount], { ...range, to: newest });
  if (!signatures) return "behind";
  // Listing every address takes fewer questions than reading these transactions.
  if (signatures.length > Math.max(addresses.length, QUESTIONS_AT_ONCE)) return "unproven";
  const signed = await readTransactions(rpc, signatures, "confirmed");
  const named = new Set<string>();
  for (const transaction of signed) {
    // The index of an endpoint may be ahead of its transactions.
    if (transaction === null) return "behind";
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
async function hasEachBlock(rpc: Rpc, from: SolanaBlock, slot: bigint): Promise<boolean> {
  if (slot === from.height) return true;
  const slots = await readSlots(rpc, from.height, slot);
  const block = await readBlock(rpc, slot);
  return block !== null && block.hash !== NO_BLOCK && isEachBlock(slots, [from, block]);
}
