import type { ErrorClass } from "../../webhooks/error-classes.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The behaviour of a receiver in one attempt: an answer, or the reason for none. */
export type Behaviour = (attempt: {
  /** Milliseconds since the zoo opened. */
  readonly elapsedMs: number;
  /** Counts the attempts of this receiver from 1. */
  readonly nth: number;
  readonly now: Date;
}) => Outcome;

export type Outcome =
  | { readonly status: number; readonly retryAfter?: string }
  | { readonly errorClass: ErrorClass };

/**
 * The outcome. `takes`: each event is delivered at its first attempt. `recovers`: each is delivered
 * in the end. `dies`: disabled after five days. `gone`: disabled at once.
 */
export type Fate = "takes" | "recovers" | "dies" | "gone";

const answers =
  (status: number, retryAfter?: string): Behaviour =>
  () => ({ status, ...(retryAfter !== undefined && { retryAfter }) });
const fails =
  (errorClass: ErrorClass): Behaviour =>
  () => ({ errorClass });
const until =
  (ms: number, before: Behaviour): Behaviour =>
  (attempt) =>
    attempt.elapsedMs < ms ? before(attempt) : { status: 200 };
const inTurn =
  (...behaviours: readonly Behaviour[]): Behaviour =>
  (attempt) =>
    behaviours[(attempt.nth - 1) % behaviours.length]?.(attempt) ?? { status: 200 };

const inSeconds =
  (seconds: number): Behaviour =>
  ({ now }) => ({
    status: 503,
    retryAfter: new Date(now.getTime() + seconds * 1_000).toUTCString(),
  });

/** Receivers as they occur in the field. */
export const ZOO: readonly (readonly [name: string, behaviour: Behaviour, fate: Fate])[] = [
  ["answers 200", answers(200), "takes"],
  ["answers 201", answers(201), "takes"],
  ["answers 202", answers(202), "takes"],
  ["answers 204", answers(204), "takes"],
  ["answers 299", answers(299), "takes"],
  ["redirects to its metadata with 301", answers(301), "dies"],
  ["redirects with 302", answers(302), "dies"],
  ["redirects with 307", answers(307), "dies"],
  ["says 304", answers(304), "dies"],
  ["answers 400", answers(400), "dies"],
  ["answers 401", answers(401), "dies"],
  ["answers 404", answers(404), "dies"],
  ["answers 410", answers(410), "gone"],
  ["answers 418", answers(418), "dies"],
  ["answers 429 without Retry-After", answers(429), "dies"],
  ["answers 429 and wants 30 minutes", answers(429, "1800"), "dies"],
  ["answers 503 and wants a date", inSeconds(1_200), "dies"],
  ["wants a date that is past", inSeconds(-86_400), "dies"],
  ["wants a thousand years", answers(429, "31536000000"), "dies"],
  ["wants nonsense", answers(429, "soon; -1, 1e9"), "dies"],
  ["wants less than nothing", answers(429, "-5"), "dies"],
  ["answers 500", answers(500), "dies"],
  ["answers 503", answers(503), "dies"],
  ["answers 999", answers(999), "dies"],
  ["hangs while connecting", fails("connect"), "dies"],
  ["hangs in TLS", fails("timeout"), "dies"],
  ["hangs before its status", fails("timeout"), "dies"],
  ["resets in the middle", fails("reset"), "dies"],
  ["has a wrong certificate", fails("tls"), "dies"],
  ["has no name", fails("dns"), "dies"],
  ["moved to a private address", fails("refused_address"), "dies"],
  ["speaks something else", fails("protocol"), "dies"],
  ["fails every other time", inTurn(answers(500), answers(200)), "recovers"],
  ["takes it at the third try", inTurn(answers(500), fails("reset"), answers(200)), "recovers"],
  ["has two bad minutes", until(120_000, answers(503)), "recovers"],
  ["is slow and recovers after 2 days", until(2 * DAY_MS, fails("timeout")), "recovers"],
  ["loses its name for a day", until(DAY_MS, fails("dns")), "recovers"],
  ["lets its certificate expire for 10 hours", until(10 * HOUR_MS, fails("tls")), "recovers"],
  ["is limited for an hour", until(HOUR_MS, answers(429, "600")), "recovers"],
  [
    "flaps between five faults",
    inTurn(
      answers(500),
      fails("reset"),
      fails("timeout"),
      answers(302),
      answers(429, "1"),
      answers(200),
    ),
    "recovers",
  ],
];
