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
  /**
   * The price of one unit of work, in the coin's smallest units. The work is gas on an EVM network, virtual bytes on
   * Bitcoin and Litecoin, energy on Tron, and transactions on Solana and the XRP Ledger.
   */
  readonly rate: bigint;
  /** The work of the transfer. */
  readonly work: bigint;
  /** The bytes of the transfer and their rate, on a network that charges them beside the work. */
  readonly bytes?: bigint;
  readonly byteRate?: bigint;
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

/** The prices of a fee market, in the smallest units of the network's coin. */
export interface MarketRates {
  /** For one unit of work. */
  readonly rate: bigint;
  /** For one unit of work of a token's transfer, where it is not that of other transfers. */
  readonly tokenRate?: bigint;
  /** For a byte of a transaction, or of what it stores, on a network that charges bytes beside the work. */
  readonly byteRate?: bigint;
}

/** Measures the fee market of one live network. */
export interface FeeMarket {
  /** Throws `Disagreement` while endpoints contradict each other. */
  readRates(): Promise<MarketRates>;
  close(): Promise<void>;
}
