/** Bounds of payouts in euro cents; null is none. */
export interface PayoutLimits {
  readonly payoutCents: bigint | null;
  readonly hourCents: bigint | null;
  readonly dayCents: bigint | null;
  /** Above it a payout needs `APPROVALS_NEEDED` people. */
  readonly approvalAboveCents: bigint | null;
}

/** How many different people approve a payout above the set amount. */
export const APPROVALS_NEEDED = 2;

/**
 * Which payouts a row of limits is for: each currency that has none of its own, one currency, or all
 * currencies together.
 */
export type LimitKind = "default" | "currency" | "total";

export interface LimitKey {
  readonly kind: LimitKind;
  /** The currency's reference; empty for the others. */
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

/** The limits in prod where the operator has set none. A sandbox moves no money and has no limits. */
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

/** The limits of a key as they are set, or else those that are built in. */
export function limitsOf({ environment, rows }: LimitBook, key: LimitKey): PayoutLimits {
  const set = rows.find(({ kind, subject }) => kind === key.kind && subject === key.subject);
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

/** "1234.50 EUR" */
export function describeCents(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)} EUR`;
}
