import type { Currency } from "../catalogue/currency.ts";

/**
 * The fee of one transfer, as the network's own market prices it. `market`: measured on the network. `fallback`: the
 * operator's own rate, used for a limited time when no fresh measurement exists.
 */
export interface NetworkFee {
  readonly networkCode: string;
  /** The network's own coin, which pays the fee. */
  readonly coin: Currency;
  /** The fee in the coin's smallest units. */
  readonly units: bigint;
  /** The coin's smallest units for one unit of work. The work of an EVM network is gas. */
  readonly rate: bigint;
  /** The work of the transfer. */
  readonly work: bigint;
  /** The time of the newest measurement. */
  readonly at: Date;
  readonly kind: "market" | "fallback";
}

/**
 * The network fees of transfers. They are answered at once, from memory. A worker measures them in the background,
 * never while a quote waits.
 */
export interface NetworkFees {
  /** Returns the fee of delivering the asset. `flat`: the catalogue's flat fee applies. */
  feeOf(asset: Currency): NetworkFee | "flat" | { readonly refusal: string };
}

/** Network fees where every network has the flat fee of the catalogue. */
export const FLAT_FEES: NetworkFees = { feeOf: () => "flat" };

/** Measures the fee market of one live network. */
export interface FeeMarket {
  /** Returns the smallest units for one unit of work. Throws `Disagreement` while endpoints contradict each other. */
  readRate(): Promise<bigint>;
  close(): Promise<void>;
}
