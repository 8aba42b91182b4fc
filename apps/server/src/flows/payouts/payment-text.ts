import type { PayoutPurpose } from "../../domain/payouts/payout-intent.ts";
import { type ReleasePlace, writeReleaseText } from "../../domain/payouts/release-text.ts";
import type { ChainPayment } from "../../domain/ports/chain-gateway.ts";

/** A payment with the facts that its release names. */
export interface ReleasablePayment extends ChainPayment {
  readonly orderId: bigint;
  readonly purpose: PayoutPurpose;
  /** The installation and the hot wallet by their names in the signer's policy. */
  readonly installation: string;
  readonly wallet: string;
}

/** Writes the release of a payment. Without a place it is approved or checked, and never signed. */
export const writePaymentText = (
  payment: ReleasablePayment,
  place: ReleasePlace | null = null,
): string =>
  writeReleaseText({
    installation: payment.installation,
    intent: payment.intentId,
    order: String(payment.orderId),
    purpose: payment.purpose,
    network: payment.networkCode,
    wallet: payment.wallet,
    asset: payment.assetReference,
    address: payment.address,
    memo: payment.memo,
    units: payment.units,
    place: place ?? { kind: "any" },
    // The signer compares it with its own clock, so business time would not do.
    releasedAt: new Date(),
  });
