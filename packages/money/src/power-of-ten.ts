const POWERS_OF_TEN = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Every quote needs powers of ten. A look-up is faster than exponentiation. */
export const powerOfTen = (exponent: number): bigint =>
  POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
