const POWERS_OF_TEN = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Powers of ten are asked for in every quote, and raising takes longer than looking up. */
export const powerOfTen = (exponent: number): bigint =>
  POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
