import type { Currency } from "../catalogue/currency.ts";
import type { Network } from "../catalogue/network.ts";
import type { NetworkFee } from "../ports/network-fees.ts";

/** The operator's choices about the fees of one live network. Amounts are smallest units of the network's coin. */
export interface FeePolicy {
  /** An older measurement is stale. */
  readonly freshMs: number;
  /** Added to each transfer, as for the data that a rollup posts to its parent chain. */
  readonly surcharge: bigint;
  /** A dearer transfer is not quoted. */
  readonly max: bigint | undefined;
  /** The rate that is used for this time after the last measurement became stale. */
  readonly fallback: { readonly rate: bigint; readonly forMs: number } | undefined;
}

/** A measured rate and its age. */
export interface AgedRate {
  readonly rate: bigint;
  readonly measuredAt: Date;
  readonly ageMs: number;
}

export interface Transfer {
  readonly network: Pick<Network, "code" | "name">;
  readonly coin: Currency;
  readonly work: bigint;
}

/**
 * Returns the fee of a transfer: rate × work, and the surcharge. While the measurement is stale it is the fallback's
 * rate, which is bounded in time. Refuses when neither exists, and above the operator's maximum.
 */
export function feeOfTransfer(
  { network, coin, work }: Transfer,
  measured: AgedRate | undefined,
  policy: FeePolicy,
): NetworkFee | { readonly refusal: string } {
  const chosen = measured && chooseRate(measured, policy);
  if (!measured || !chosen) {
    return {
      refusal: `The network fee of ${network.name} is not known at the moment. Try again later.`,
    };
  }
  const units = chosen.rate * work + policy.surcharge;
  if (policy.max !== undefined && units > policy.max) {
    return { refusal: `Sending on ${network.name} is too dear at the moment. Try again later.` };
  }
  const { measuredAt: at } = measured;
  return { networkCode: network.code, coin, units, work, at, ...chosen };
}

function chooseRate(
  { rate, ageMs }: AgedRate,
  { freshMs, fallback }: FeePolicy,
): Pick<NetworkFee, "rate" | "kind"> | undefined {
  if (ageMs <= freshMs) return { rate, kind: "market" };
  if (fallback === undefined || ageMs > freshMs + fallback.forMs) return undefined;
  return { rate: fallback.rate, kind: "fallback" };
}
