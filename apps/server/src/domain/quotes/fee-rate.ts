import type { Currency } from "../catalogue/currency.ts";
import type { Network } from "../catalogue/network.ts";
import type { MarketRates, NetworkFee } from "../ports/network-fees.ts";

/** The bounds of the fees that are signed. A transfer above them is not quoted. */
export interface FeeBounds {
  /** Of the whole fee. */
  readonly max?: bigint | undefined;
  /** Of the rate for work. */
  readonly rateMax?: bigint | undefined;
}

/** The operator's choices about the fees of one live network. Amounts are smallest units of the network's coin. */
export interface FeePolicy extends FeeBounds {
  /** An older measurement is stale. */
  readonly freshMs: number;
  /** Added to each transfer, as for the data that a rollup posts to its parent chain. */
  readonly surcharge: bigint;
  /** The rates that are used for this time after the last measurement became stale. */
  readonly fallback:
    | (Pick<MarketRates, "rate" | "tokenRate"> & { readonly forMs: number })
    | undefined;
}

/** Measured rates and their age. */
export interface AgedRate extends MarketRates {
  readonly measuredAt: Date;
  readonly ageMs: number;
}

export interface Transfer {
  readonly network: Pick<Network, "code" | "name">;
  readonly coin: Currency;
  readonly work: bigint;
  /** The bytes that a network charges beside the work. */
  readonly bytes?: bigint;
  /** Present where the work has the rate of tokens. */
  readonly isToken?: true;
}

/**
 * Returns the fee of a transfer: rate × work, its bytes where they cost something, and the surcharge. While the
 * measurement is stale the rate is the fallback's, which is bounded in time, and a byte costs as much as it last did.
 * Refuses when no rate exists, and above the operator's maximum.
 */
export function feeOfTransfer(
  { network, coin, work, bytes, isToken }: Transfer,
  measured: AgedRate | undefined,
  policy: FeePolicy,
): NetworkFee | { readonly refusal: string } {
  const chosen = measured && chooseRate(measured, policy, isToken ? "tokenRate" : "rate");
  const byteRate = bytes === undefined ? 0n : measured?.byteRate;
  if (!measured || !chosen || byteRate === undefined) {
    return {
      refusal: `The network fee of ${network.name} is not known at the moment. Try again later.`,
    };
  }
  const units = chosen.rate * work + byteRate * (bytes ?? 0n) + policy.surcharge;
  const isAbove = (value: bigint, bound: bigint | undefined): boolean =>
    bound !== undefined && value > bound;
  if (isAbove(units, policy.max) || (work > 0n && isAbove(chosen.rate, policy.rateMax))) {
    return { refusal: `Sending on ${network.name} is too dear at the moment. Try again later.` };
  }
  const { measuredAt: at } = measured;
  const charged = bytes === undefined ? {} : { bytes, byteRate };
  return { networkCode: network.code, coin, units, work, ...charged, at, ...chosen };
}

function chooseRate(
  measured: AgedRate,
  { freshMs, fallback }: FeePolicy,
  name: "rate" | "tokenRate",
): Pick<NetworkFee, "rate" | "kind"> | undefined {
  const { ageMs } = measured;
  const of = (rates: MarketRates, kind: NetworkFee["kind"]) => {
    const rate = rates[name];
    return rate === undefined ? undefined : { rate, kind };
  };
  if (ageMs <= freshMs) return of(measured, "market");
  if (fallback === undefined || ageMs > freshMs + fallback.forMs) return undefined;
  return of(fallback, "fallback");
}
