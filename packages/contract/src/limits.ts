import { AMOUNT_SIGNIFICANT_DIGITS_MAX } from "@exchange/money";

/** Bounds that are part of the contract (completion, sections 1, 4 and 8). */
export const WIRE_LIMITS = {
  requestBodyBytesMax: 64 * 1024,
  jsonDepthMax: 32,
  amountDecimalsMax: 8,
  amountSignificantDigitsMax: AMOUNT_SIGNIFICANT_DIGITS_MAX,
  idempotencyKeyCharactersMax: 255,
  tokenLifetimeSecondsDefault: 1800,
} as const;
