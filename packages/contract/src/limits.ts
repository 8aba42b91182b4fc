/** Bounds that are part of the contract (completion, sections 1, 4 and 8). */
export const WIRE_LIMITS = {
  requestBodyBytesMax: 64 * 1024,
  jsonDepthMax: 32,
  amountDecimalsMax: 8,
  amountSignificantDigitsMax: 15,
  idempotencyKeyCharactersMax: 255,
  tokenLifetimeSecondsDefault: 1800,
  quoteLifetimeSeconds: 30,
  cardAttemptsMax: 5,
} as const;
