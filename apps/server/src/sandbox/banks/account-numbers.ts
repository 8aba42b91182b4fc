/** Numbers of invented accounts with valid check digits, so that forms accept them. */

/** ISO 13616: the two check digits make the whole number 1 modulo 97. */
export function ibanOf(countryCode: string, account: string): string {
  const digits = Array.from(`${account}${countryCode}00`, (sign) => Number.parseInt(sign, 36)).join(
    "",
  );
  const check = 98n - (BigInt(digits) % 97n);
  return `${countryCode}${String(check).padStart(2, "0")}${account}`;
}

/** A Belgian account: its last two digits are the first ten modulo 97. */
export function belgianAccount(digits: string): string {
  const remainder = BigInt(digits) % 97n || 97n;
  return `${digits}${String(remainder).padStart(2, "0")}`;
}

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7];

/** Returns an ABA routing number from its first eight digits. */
export const routingNumberOf = (digits: string): string =>
  `${digits}${(10 - (weigh(digits, ROUTING_WEIGHTS) % 10)) % 10}`;

const CLABE_WEIGHTS = [3, 7, 1];

/** Returns a Mexican CLABE from its first seventeen digits. */
export function clabeOf(digits: string): string {
  const sum = Array.from(digits, Number).reduce(
    (total, digit, index) => total + ((digit * (CLABE_WEIGHTS[index % 3] ?? 0)) % 10),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const POLISH_WEIGHTS = [3, 9, 7, 1, 3, 9, 7];

/** Returns a Polish bank number from its first seven digits. */
export const polishBankOf = (digits: string): string =>
  `${digits}${(10 - (weigh(digits, POLISH_WEIGHTS) % 10)) % 10}`;

const weigh = (digits: string, weights: readonly number[]): number =>
  Array.from(digits, Number).reduce((sum, digit, index) => sum + digit * (weights[index] ?? 0), 0);
