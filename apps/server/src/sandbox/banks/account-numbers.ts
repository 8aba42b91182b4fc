/** Account numbers of made-up accounts whose check digits are right, as forms and people test them. */

/** ISO 13616: the two digits that make the whole 1 modulo 97. */
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

/** A routing number of the American Bankers Association out of its first eight digits. */
export const routingNumberOf = (digits: string): string =>
  `${digits}${(10 - (weigh(digits, ROUTING_WEIGHTS) % 10)) % 10}`;

const CLABE_WEIGHTS = [3, 7, 1];

/** A CLABE of Mexico's banks out of its first seventeen digits. */
export function clabeOf(digits: string): string {
  const sum = Array.from(digits, Number).reduce(
    (total, digit, index) => total + ((digit * (CLABE_WEIGHTS[index % 3] ?? 0)) % 10),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const POLISH_WEIGHTS = [3, 9, 7, 1, 3, 9, 7];

/** A Polish bank's number out of its first seven digits. */
export const polishBankOf = (digits: string): string =>
  `${digits}${(10 - (weigh(digits, POLISH_WEIGHTS) % 10)) % 10}`;

const weigh = (digits: string, weights: readonly number[]): number =>
  Array.from(digits, Number).reduce((sum, digit, index) => sum + digit * (weights[index] ?? 0), 0);
