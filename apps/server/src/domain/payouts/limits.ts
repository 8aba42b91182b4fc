import { divide, type Money } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";

/** Limits of payouts in euro cents. Null means no limit. */
export interface PayoutLimits {
  readonly payoutCents: bigint | null;
  readonly hourCents: bigint | null;
  readonly dayCents: bigint | null;
  /** A payout above this amount needs `APPROVALS_NEEDED` people. */
  readonly approvalAboveCents: bigint | null;
}

/** The number of different people that must approve a payout above the set amount. */
export const APPROVALS_NEEDED = 2;

/**
 * The payouts that a row of limits covers: one currency, each currency without a row of its own, or
 * all currencies together.
 */
export type LimitKind = "default" | "currency" | "total";

export interface LimitKey {
  readonly kind: LimitKind;
  /** The currency's reference. Empty for the other kinds. */
  readonly subject: string;
}

export interface LimitRow extends LimitKey, PayoutLimits {}

export const NO_LIMITS: PayoutLimits = {
  payoutCents: null,
  hourCents: null,
  dayCents: null,
  approvalAboveCents: null,
};

const euro = (amount: bigint): bigint => amount * 100n;

/**
 * The limits in prod where the operator has set none. A sandbox moves no money, so it has no
 * limits.
 */
const BUILT_IN: Readonly<Record<"default" | "total", PayoutLimits>> = {
  default: {
    payoutCents: euro(20_000n),
    hourCents: euro(100_000n),
    dayCents: euro(500_000n),
    approvalAboveCents: euro(10_000n),
  },
  total: { ...NO_LIMITS, hourCents: euro(250_000n), dayCents: euro(1_000_000n) },
};

export interface LimitBook {
  readonly environment: "dev" | "staging" | "prod";
  readonly rows: readonly LimitRow[];
}

/** Returns the limits that were set for the key itself. */
export const setLimitsOf = (
  { rows }: Pick<LimitBook, "rows">,
  key: LimitKey,
): PayoutLimits | undefined =>
  rows.find(({ kind, subject }) => kind === key.kind && subject === key.subject);

/** Returns the limits set for a key, or else the built-in ones. */
export function limitsOf({ environment, rows }: LimitBook, key: LimitKey): PayoutLimits {
  const set = setLimitsOf({ rows }, key);
  if (set) return set;
  if (key.kind === "currency") return limitsOf({ environment, rows }, DEFAULT_KEY);
  return environment === "prod" ? BUILT_IN[key.kind] : NO_LIMITS;
}

export const isLimited = (limits: PayoutLimits): boolean =>
  [limits.payoutCents, limits.hourCents, limits.dayCents, limits.approvalAboveCents].some(
    (cents) => cents !== null,
  );

export const DEFAULT_KEY: LimitKey = { kind: "default", subject: "" };
export const TOTAL_KEY: LimitKey = { kind: "total", subject: "" };
export const currencyKey = (reference: string): LimitKey => ({
  kind: "currency",
  subject: reference,
});

/** Formats an amount such as "1234.50 EUR". */
export function describeCents(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)} EUR`;
}

/**
 * Returns the value of an amount in euro cents, the unit of the limits, at the catalogue's stable
 * rate. It is rounded up, so that no amount passes under a limit.
 */
export function euroCentsOf(amount: Money & { readonly asset: Currency }): bigint {
  const { perEuro, decimals } = amount.asset;
  const numerator = amount.units * 100n * 10n ** BigInt(perEuro.scale);
  return divide(numerator, perEuro.units * 10n ** BigInt(decimals), "up");
}
