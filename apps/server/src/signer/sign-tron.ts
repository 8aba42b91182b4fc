import { answerUntil } from "./deadline-rules.ts";
import type { PayTronRequest, SignedAnswer } from "./protocol.ts";
import { readRelease } from "./release-rules.ts";
import { requirePayee, type SignerParts } from "./signing.ts";
import { buildTron, requireTronAddress } from "./tron-transaction.ts";

/**
 * The most that bandwidth and a new account cost, in sun: 1.1 TRX for the account, and 0.9 for the bytes of the
 * transaction. A node takes both beside the fee limit of a call.
 */
export const FIXED_FEE = 2_000_000n;

/**
 * Signs a released payment on Tron. The same request always has the same answer. Nothing excludes a second
 * transaction of the payment, so it is signed only after the deadline of the first
 * (docs/decisions/0075-pay-on-tron-by-deadlines.md).
 */
export function payTron(
  parts: SignerParts,
  { release: signed, terms }: PayTronRequest,
): SignedAnswer {
  const payment = readRelease(signed, parts.policy);
  const { release, asset } = payment;
  const account = parts.wallets.tron(release.wallet);
  requireTronAddress(release.address);
  requirePayee(payment, parts);
  const contract = asset.contract ?? null;
  const transfer = { to: release.address, contract, units: release.units };
  const { hash, sign } = buildTron(account, transfer, terms);
  const price = BigInt(terms.feeLimit);
  return answerUntil(parts, {
    ...{ payment, terms, account, price, sign },
    digest: hash,
    hash: () => hash,
    fee: price + FIXED_FEE,
  });
}
