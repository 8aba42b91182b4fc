import type { Asset, Decimal } from "@exchange/money";
import type { CurrencyKind } from "./operation.ts";

/** A fiat currency, or one coin on one network. */
export interface Currency extends Asset {
  /** Unique lower-case slug: "cad", "btc", "usdt-tron". */
  readonly reference: string;
  readonly kind: CurrencyKind;
  readonly name: string;
  readonly shortName: string | null;
  readonly symbol: string;
  /** Null for fiat, and only for fiat. */
  readonly networkCode: string | null;
  /** True if the bare code means the coin on this network. True for fiat. */
  readonly isDefaultNetwork: boolean;
  /** The token's contract or mint; null for a network's own coin and for fiat. */
  readonly contractAddress: string | null;
  /** Units per euro, for limits and fixed fees only: a stable figure, not the market's. */
  readonly perEuro: Decimal;
  readonly limits: LimitRange;
  /** Present for a coin that is paid out and not taken: nobody can sell it, swap it or pay with it. */
  readonly isPaidOutOnly?: true;
  readonly enabled: boolean;
}

/** Limits in euro, the unit of all limits. Null means unlimited. */
export interface LimitRange {
  readonly minEuro: Decimal | null;
  readonly maxEuro: Decimal | null;
}
