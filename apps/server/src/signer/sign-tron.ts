import type { Deadline } from "../domain/payouts/release-text.ts";
import { requireWithinLimits } from "./limits.ts";
import { requireSamePayment } from "./place-rules.ts";
import type { PayTronRequest, SignedAnswer, TronTerms } from "./protocol.ts";
import { type ReleasedPayment, readRelease } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerPayment, loggedPayment, requirePayee, type SignerParts } from "./signing.ts";
import { buildTron, requireTronAddress } from "./tron-transaction.ts";
import type { TronAccount } from "./wallets.ts";

/**
 * The most that bandwidth and a new account cost, in sun: 1.1 TRX for the account, and 0.9 for the bytes of the
 * transaction. A node takes both beside the fee limit of a call.
 */
const FIXED_FEE = 2_000_000n;

/**
 * Signs a released payment on Tron. The same request always has the same answer. Nothing excludes a second
 * transaction of the payment, so it is signed only after the deadline of the first
 * (docs/decisions/0075-pay-on-tron-by-deadlines.md).
 */
export function payTron(
  parts: SignerParts,
  { release: signed, terms }: PayTronRequest,
): SignedAnswer {
  const { policy, wallets, history, now } = parts;
  const payment = readRelease(signed, policy);
  const { release, asset } = payment;
  const { place } = release;
  if (place.kind !== "until") {
    throw new SignRefusal("place", `A payment on ${release.network} has a deadline as its place.`);
  }
  if (place.expiration !== terms.expiration || place.reference !== terms.reference) {
    throw new SignRefusal("place", "The terms have another deadline or block than the release.");
  }
  const account = wallets.tron(release.wallet);
  requireTronAddress(release.address);
  requirePayee(payment, parts);
  const contract = asset.contract ?? null;
  const unsigned = buildTron(
    account,
    { to: release.address, contract, units: release.units },
    terms,
  );
  return answerPayment(parts, { digest: unsigned.hash, payments: [payment] }, () => {
    requireUsableTerms(terms, account, now());
    requireNoOther(unsigned.hash, parts);
    requireDeadBefore(payment, place, parts);
    requireWithinLimits([payment], { policy, history, now: now() });
    const fee = BigInt(terms.feeLimit) + FIXED_FEE;
    requireFeeWithinCap(fee, account);
    return {
      network: release.network,
      account: account.name,
      places: [],
      expiresAt: terms.expiration,
      // The signer cannot see that an earlier transaction is dead, so each one counts against the limits.
      payments: [loggedPayment(payment, true)],
      approvedBy: payment.paymentApprovedBy,
      prices: [BigInt(terms.feeLimit)],
      fee,
      sign: unsigned.sign,
      versions: [],
    };
  });
}

const SECOND_MS = 1_000;

function requireUsableTerms({ expiration }: TronTerms, { network }: TronAccount, now: number) {
  if (expiration <= now) {
    throw new SignRefusal(
      "terms",
      "The deadline of the transaction has passed. Ask with a new one.",
    );
  }
  if (expiration <= now + network.expirationSecondsMax * SECOND_MS) return;
  throw new SignRefusal(
    "terms",
    `The deadline is more than the policy's ${network.expirationSecondsMax} seconds away. Compare the clocks, or ask with an earlier one.`,
  );
}

/** Two payments of one amount to one address may have the same bytes, and then the network executes only one of them. */
function requireNoOther(hash: string, { history }: SignerParts): void {
  if (history.byHash(hash) === undefined) return;
  throw new SignRefusal(
    "terms",
    `Transaction ${hash} pays another intent already. Ask with another deadline.`,
  );
}

/** Throws unless the release names the payment's newest transaction, and every one of them has expired. */
function requireDeadBefore(
  payment: ReleasedPayment,
  { after }: Deadline,
  { history, policy, now }: SignerParts,
): void {
  const { intent } = payment.release;
  const earlier = requireSamePayment(payment, history);
  const newest = earlier.at(-1)?.hash ?? null;
  if (newest !== after) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${intent} is signed in ${newest ?? "no transaction"}, and the release says that ${after ?? "none"} is dead. ` +
        "If the database was restored, do not go on: compare it with the sign log first.",
    );
  }
  if (earlier.length > policy.replacementsMax) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${intent} was signed ${earlier.length} times, and the policy's replacementsMax is ${policy.replacementsMax}. Find out why no block takes it.`,
    );
  }
  if (earlier.every(({ expiresAt = Infinity }) => expiresAt < now())) return;
  throw new SignRefusal(
    "terms",
    `Transaction ${newest} of intent ${intent} has not expired by the signer's clock. Ask again later.`,
  );
}

function requireFeeWithinCap(fee: bigint, { network }: TronAccount): void {
  if (fee <= BigInt(network.feeMax)) return;
  throw new SignRefusal("fee", `The fee may reach ${fee}, above the policy's ${network.feeMax}.`);
}
