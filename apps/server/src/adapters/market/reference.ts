import type { Decimal } from "@exchange/money";

/** The rates that a source publishes once a day. */
export interface ReferenceTable {
  /** The day of the rates, as in 2026-11-20. */
  readonly day: string;
  /** How many of each currency one euro buys. */
  readonly perEuro: ReadonlyMap<string, Decimal>;
}

/** A publisher of daily reference rates. Reading is pure and throws a `VenueFault`. */
export interface ReferenceSource {
  readonly name: string;
  readonly url: string;
  readonly path: string;
  readonly everyMs: number;
  read(text: string): ReferenceTable;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The rates of a day are published at about this hour, in UTC. */
const PUBLISHED_AT = "15:00:00Z";
const AGE_DAYS_MAX = 5;
const CLOSED_MARKET_BASIS_POINTS = 50;
const BASIS_POINTS_A_DAY = 25;

/** Returns the whole days since the rates of a day were published. */
export const ageInDays = (day: string, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - Date.parse(`${day}T${PUBLISHED_AT}`)) / DAY_MS));

/** Returns whether currency markets are closed: from Friday 22:00 to Sunday 22:00 UTC. */
export function isMarketClosed(nowMs: number): boolean {
  const now = new Date(nowMs);
  const [weekday, hour] = [now.getUTCDay(), now.getUTCHours()];
  return weekday === 6 || (weekday === 5 && hour >= 22) || (weekday === 0 && hour < 22);
}

/** Returns the basis points that are added to the usual markup while currency markets are closed. */
export const closedMarketBasisPoints = (nowMs: number): number =>
  isMarketClosed(nowMs) ? CLOSED_MARKET_BASIS_POINTS : 0;

/** Returns the basis points that are added to the usual markup for rates of this age, or why they are too old. */
export function ageMarkup(
  day: string,
  nowMs: number,
): { readonly basisPoints: number } | { readonly refusal: string } {
  const age = ageInDays(day, nowMs);
  if (Date.parse(day) > nowMs + DAY_MS) {
    return { refusal: `the reference rates are of a future day, ${day}` };
  }
  if (age > AGE_DAYS_MAX) return { refusal: `the reference rates are of ${day}` };
  return {
    basisPoints: closedMarketBasisPoints(nowMs) + Math.max(0, age - 1) * BASIS_POINTS_A_DAY,
  };
}

/** Returns whether banks of the euro settle on the day, so that new reference rates are published. */
export function isTargetDay(nowMs: number): boolean {
  const now = new Date(nowMs);
  const weekday = now.getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  const monthDay = now.toISOString().slice(5, 10);
  if (["01-01", "05-01", "12-25", "12-26"].includes(monthDay)) return false;
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const easter = easterSunday(now.getUTCFullYear());
  return today !== easter - 2 * DAY_MS && today !== easter + DAY_MS;
}

/** The Gregorian calendar's Easter Sunday, by the algorithm of Meeus, Jones and Butcher. */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const rest = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekdays = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekdays) / 451);
  const sum = epact + weekdays - 7 * shift + 114;
  return Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1);
}
