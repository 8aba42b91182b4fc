/** The field of secp256k1. */
const P = 2n ** 256n - 2n ** 32n - 977n;

/**
 * Whether 32 bytes are the x coordinate of a point of secp256k1 (BIP 341). Coins sent to any other
 * taproot program are lost.
 */
export function isTaprootKey(bytes: Uint8Array): boolean {
  const x = bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  if (x >= P) return false;
  // Euler's criterion: x³ + 7 has a square root.
  return powerModulo((x * x * x + 7n) % P, (P - 1n) / 2n) === 1n;
}

function powerModulo(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
