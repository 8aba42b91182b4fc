import type { History } from "./history.ts";
import type { Policy } from "./policy.ts";
import type { ReleasedPayment } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CLOCK_TOLERANCE_MS = 60_000;

interface Books {
  readonly policy: Policy;
  readonly history: History;
  readonly now: number;
}

/**
 * Throws if a payment alone, or the payments of an hour or a day, exceed the policy. The sums come from the
 * signer's own log, so nobody who holds the database or the release key can reset them.
 */
export function requireWithinLimits(payments: readonly ReleasedPayment[], books: Books): void {
  const { policy, history, now } = books;
  requireClockForward(books);
  for (const payment of payments) requireOneWithinLimit(payment, policy);
  const total = sumOf(payments);
  const hour = history.centsSince(now - HOUR_MS, () => true);
  requireBelow("payments of an hour", hour + total, policy.hourCents);
  const day = history.centsSince(now - DAY_MS, () => true);
  requireBelow("payments of a day", day + total, policy.dayCents);
  for (const { release, asset } of payments) {
    const ofAsset = payments.filter((other) => other.release.asset === release.asset);
    const assetHour = history.centsSince(now - HOUR_MS, (paid) => paid.asset === release.asset);
    requireBelow(`${release.asset} of an hour`, assetHour + sumOf(ofAsset), asset.hourCents);
    const networkDay = history.centsSince(now - DAY_MS, (_, code) => code === release.network);
    const dayCents = policy.networks[release.network]?.dayCents ?? 0;
    requireBelow(`payments on ${release.network} of a day`, networkDay + total, dayCents);
  }
}

function requireOneWithinLimit(payment: ReleasedPayment, policy: Policy): void {
  const { asset, cents, release, paymentApprovedBy } = payment;
  requireBelow(`payment of ${release.asset}`, cents, asset.paymentCents);
  const isApproved = paymentApprovedBy.length >= policy.approvalsNeeded;
  if (cents > BigInt(asset.approvalAboveCents) && !isApproved) {
    throw new SignRefusal(
      "approvals",
      `The payment counts as ${cents} cents, above ${asset.approvalAboveCents}: it has ` +
        `${paymentApprovedBy.length} of ${policy.approvalsNeeded} approvals.`,
    );
  }
}

/**
 * Throws if the fee may be above the policy's cap for one transaction, in the network's smallest unit. `stated` begins
 * the refusal.
 */
export function requireFeeWithinCap(
  fee: bigint,
  { feeMax }: Pick<Policy["networks"][string], "feeMax">,
  stated = `The fee may reach ${fee}`,
): void {
  if (fee <= BigInt(feeMax)) return;
  throw new SignRefusal("fee", `${stated}, above the policy's ${feeMax}.`);
}

/** The cost that a signature adds to its network's day. */
export interface AddedFee {
  readonly network: string;
  readonly feeAdded: bigint;
  /** The part of it that is rent of a token account. */
  readonly rent: bigint;
}

/**
 * Throws if the fees that a day's signatures can cost on a network exceed the policy. Rent of token accounts is a
 * part of them.
 */
export function requireFeesWithinLimit(
  { network, feeAdded, rent: rentAdded }: AddedFee,
  books: Books,
): void {
  requireClockForward(books);
  const { history, policy, now } = books;
  const before = history.feesSince(now - DAY_MS, network);
  const [fees, rent] = [before.fees + feeAdded, before.rent + rentAdded];
  const max = BigInt(policy.networks[network]?.feeMaxPerDay ?? 0);
  if (fees <= max) return;
  const parts = rent === 0n ? "" : `: ${fees - rent} of fees and ${rent} of rent of token accounts`;
  const advice =
    feeAdded > max
      ? "This transaction alone costs more than that. Let two people raise feeMaxPerDay."
      : "Wait until earlier signatures are a day old, or let two people raise feeMaxPerDay.";
  throw new SignRefusal(
    "fee",
    `The fees of a day on ${network} may reach ${fees}, above the ${max} of feeMaxPerDay in the policy${parts}. ${advice}`,
  );
}

/** A clock that was set back would open the windows of an hour and a day again. */
function requireClockForward({ history, now }: Books): void {
  const last = history.last();
  if (last !== undefined && now < last.at - CLOCK_TOLERANCE_MS) {
    throw new SignRefusal(
      "clock",
      "The signer's clock is behind its last signature. Set the clock.",
    );
  }
}

function requireBelow(noun: string, cents: bigint, max: number): void {
  if (cents <= BigInt(max)) return;
  throw new SignRefusal("limit", `The ${noun} would be ${cents} cents, above the policy's ${max}.`);
}

const sumOf = (payments: readonly ReleasedPayment[]): bigint =>
  payments.reduce((sum, { cents }) => sum + cents, 0n);
