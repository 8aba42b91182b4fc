import type { LimitRange } from "./currency.ts";

/** An ISO 3166-1 country. A disabled country is known but not served. */
export interface Country {
  /** Two upper-case letters. */
  readonly code: string;
  readonly name: string;
  readonly currencyCode: string;
  readonly limits: LimitRange;
  readonly enabled: boolean;
}
