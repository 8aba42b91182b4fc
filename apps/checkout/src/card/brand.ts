export type CardBrand = "visa" | "mastercard" | "amex";

interface BrandRules {
  readonly name: string;
  readonly prefix: RegExp;
  readonly lengths: readonly number[];
  readonly groups: readonly number[];
  readonly codeLength: 3 | 4;
}

const FOURS = [4, 4, 4, 4, 3];

/** The card networks of the test cards. Cards of any other network are refused like all real cards. */
export const BRANDS: Readonly<Record<CardBrand, BrandRules>> = {
  visa: { name: "Visa", prefix: /^4/, lengths: [13, 16, 19], groups: FOURS, codeLength: 3 },
  mastercard: {
    name: "Mastercard",
    prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    groups: FOURS,
    codeLength: 3,
  },
  amex: {
    name: "American Express",
    prefix: /^3[47]/,
    lengths: [15],
    groups: [4, 6, 5],
    codeLength: 4,
  },
};

/** The card network of a number, as soon as its first digits are typed. */
export function brandOf(digits: string): CardBrand | undefined {
  const brands = Object.keys(BRANDS) as CardBrand[];
  return brands.find((brand) => BRANDS[brand].prefix.test(digits));
}

export const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** The digits in groups, as printed on a card of that network. */
export function groupNumber(text: string): string {
  const digits = digitsOf(text).slice(0, 19);
  const brand = brandOf(digits);
  const sizes = brand ? BRANDS[brand].groups : FOURS;
  const parts: string[] = [];
  let start = 0;
  for (const size of sizes) {
    if (start >= digits.length) break;
    parts.push(digits.slice(start, start + size));
    start += size;
  }
  if (start < digits.length) parts.push(digits.slice(start));
  return parts.join(" ");
}
