const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns the leading bits of the bytes in lower-case base32, `characters` long. */
export function toBase32(bytes: Uint8Array, characters: number): string {
  const bits = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const excess = BigInt(bytes.length * 8 - characters * 5);
  return digits(bits >> excess, { alphabet: BASE32, characters });
}

/** Returns the bytes as one base62 number, padded to `characters`. */
export function toBase62(bytes: Uint8Array, characters: number): string {
  const value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  return digits(value, { alphabet: BASE62, characters });
}

/** Returns a number below 2^53 in base62, padded to `characters`. */
export function numberToBase62(value: number, characters: number): string {
  let text = "";
  for (let rest = value; text.length < characters; rest = Math.floor(rest / 62)) {
    text = BASE62.charAt(rest % 62) + text;
  }
  return text;
}

function digits(
  value: bigint,
  form: { readonly alphabet: string; readonly characters: number },
): string {
  const base = BigInt(form.alphabet.length);
  let text = "";
  for (let rest = value; text.length < form.characters; rest /= base) {
    text = form.alphabet.charAt(Number(rest % base)) + text;
  }
  return text;
}
