export type CardBrand = "visa" | "mastercard" | "amex" | "discover" | "jcb" | "diners" | "unionpay";

interface BrandRules {
  readonly name: string;
  readonly prefix: RegExp;
  readonly lengths: readonly number[];
  readonly groups: readonly number[];
  readonly codeLength: 3 | 4;
  readonly accepted: boolean;
}

const FOURS = [4, 4, 4, 4, 3];

export const BRANDS: Readonly<Record<CardBrand, BrandRules>> = {
  visa: rules("Visa", /^4/, { lengths: [13, 16, 19], accepted: true }),
  mastercard: rules("Mastercard", /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, {
    lengths: [16],
    accepted: true,
  }),
  amex: {
    name: "American Express",
    prefix: /^3[47]/,
    lengths: [15],
    groups: [4, 6, 5],
    codeLength: 4,
    accepted: true,
  },
  discover: rules("Discover", /^(6011|65|64[4-9])/, { lengths: [16, 19], accepted: false }),
  jcb: rules("JCB", /^35/, { lengths: [16], accepted: false }),
  diners: rules("Diners Club", /^3(0|6|8)/, { lengths: [14, 16], accepted: false }),
  unionpay: rules("UnionPay", /^62/, { lengths: [16, 17, 18, 19], accepted: false }),
};

function rules(
  name: string,
  prefix: RegExp,
  more: { readonly lengths: readonly number[]; readonly accepted: boolean },
): BrandRules {
  return { name, prefix, groups: FOURS, codeLength: 3, ...more };
}

/** The card network a number belongs to, as soon as its first digits tell. */
export function brandOf(digits: string): CardBrand | undefined {
  const brands = Object.keys(BRANDS) as CardBrand[];
  return brands.find((brand) => BRANDS[brand].prefix.test(digits));
}

export const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** The digits in the groups printed on such a card. */
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
