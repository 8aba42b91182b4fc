import { randomUUID } from "node:crypto";
import type { ChainSend, SignedTransaction } from "../domain/ports/chain-gateway.ts";
import { type FeeTerms, FeeTooHigh } from "../domain/ports/chain-sender.ts";
import type { ChildOfChange, CoinSender, SignedTerms } from "../domain/ports/coin-sender.ts";
import { isBuiltOn } from "../storage/chains/coins.ts";
import { listRaises, type StoredRaise } from "../storage/payouts/raises.ts";
import { findStoredTerms } from "../storage/payouts/releases.ts";
import type { Database } from "../storage/postgres/database.ts";

/** The most raises of one fee. */
const RAISES_MAX = 5;
/** The blocks before a consolidation's fee is raised, as a multiple of a payout's: nobody waits for it. */
const CONSOLIDATION_WAIT_FACTOR = 24n;

/** A way to raise the fee of a payout or a consolidation that no block takes. */
export type Raise =
  | { readonly kind: "replace"; readonly terms: FeeTerms }
  | ({ readonly kind: "child"; readonly id: string } & ChildOfChange);

interface Stuck {
  readonly send: ChainSend;
  /** The versions of its transaction, the newest last. */
  readonly signed: readonly SignedTransaction[];
  /** The last block that was read. */
  readonly height: bigint;
  /** The block at which the signer refused the last replacement. */
  readonly refusedAt?: bigint | undefined;
}

/** Returns the blocks that a transaction of the send waits before its fee is raised. Undefined where it never is. */
function blocksBeforeRaise(
  { purpose }: ChainSend,
  { afterBlocks }: CoinSender["raising"],
): bigint | undefined {
  if (purpose === "payout") return afterBlocks;
  return purpose === "rebalance" ? afterBlocks * CONSOLIDATION_WAIT_FACTOR : undefined;
}

/**
 * Returns how the fee of a payout or a consolidation is raised now. Undefined while its newest transaction is young
 * or pays what the network takes, and where nothing can raise it (docs/decisions/0067-raise-fees-of-coins.md).
 */
export async function findRaise(
  { database, sender }: { readonly database: Database; readonly sender: CoinSender },
  { send, signed, height, refusedAt }: Stuck,
): Promise<Raise | undefined> {
  const { raising } = sender;
  const [last, number] = [signed.at(-1), signed.length];
  const blocks = blocksBeforeRaise(send, raising);
  if (raising.by === "never" || blocks === undefined) return undefined;
  if (refusedAt !== undefined && height - refusedAt < blocks) return undefined;
  // An adopted payout has no bytes of ours.
  if (last === undefined || last.bytes.length === 0) return undefined;
  const payment = {
    transaction: last,
    terms: await findStoredTerms(database, { sendId: send.id, number }),
  };
  const stored = await listRaises(database, send.id);
  // The signer refused a raise, and would refuse the next one in the same block too.
  if (stored.some((raise) => raise.isRefused && isYoung(raise, { height, blocks })))
    return undefined;
  const raises = stored.filter(({ isRefused }) => !isRefused).map((raise) => toSigned(raise, send));
  const chain = [payment, ...raises];
  // An unsigned raise, or a payout of an earlier version.
  if (!chain.every(isSigned)) return undefined;
  const newest = chain.at(-1);
  if (!newest || number + raises.length > RAISES_MAX || isYoung(newest, { height, blocks })) {
    return undefined;
  }
  const rate = await marketRate(sender);
  const weights = chain.map((one) => sender.weigh(one));
  const unmined = weights.reduce((sum, { fee, size }) => ({
    fee: sum.fee + fee,
    size: sum.size + size,
  }));
  if (rate === undefined || unmined.fee >= rate * unmined.size) return undefined;
  // A replacement would invalidate our other send that spends this change. That send raises its own fee.
  const hash = newest.transaction.transactionHash;
  if (await isBuiltOn(database, send.networkCode, hash)) return undefined;
  if (raising.by === "replace") {
    const terms = sender.replacementOf(newest, rate);
    return terms && { kind: "replace", terms: withHeight(height, terms) };
  }
  const id = randomUUID();
  const child = sender.childOf(newest, { id, rate, unmined });
  return (
    child && { kind: "child", id, change: child.change, terms: withHeight(height, child.terms) }
  );
}

/** Adds the height at which terms were made. */
export const withHeight = (height: bigint, terms: FeeTerms): FeeTerms => ({
  ...terms,
  height: String(height),
});

interface MaybeSigned {
  readonly transaction: SignedTransaction | undefined;
  readonly terms: FeeTerms | undefined;
}

function toSigned(
  { transactionHash, bytes, terms }: StoredRaise,
  { networkCode }: ChainSend,
): MaybeSigned {
  if (transactionHash === null || bytes === null) return { transaction: undefined, terms };
  return { transaction: { networkCode, transactionHash, bytes }, terms };
}

const isSigned = (one: MaybeSigned): one is SignedTerms =>
  one.transaction !== undefined && one.terms !== undefined;

/** Terms of earlier versions of the service have no height. */
const isYoung = (
  { terms }: Pick<SignedTerms, "terms">,
  { height, blocks }: { readonly height: bigint; readonly blocks: bigint },
): boolean => height - BigInt(terms["height"] ?? 0) < blocks;

/** Returns undefined where the network asks more than the operator's limit. Then nothing is signed. */
async function marketRate(sender: CoinSender): Promise<bigint | undefined> {
  try {
    return await sender.feeRate();
  } catch (error) {
    if (error instanceof FeeTooHigh) return undefined;
    throw error;
  }
}
