import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyKey, describeCents, limitsOf, NO_LIMITS, type PayoutLimits } from "./limits.ts";
import { decideRelease, type Meter, type ReleaseQuestion } from "./release.ts";

const CASES = { numRuns: 5_000 };
const CENTS = fc.bigInt({ min: 0n, max: 1_000n });
const BOUND = fc.option(CENTS, { nil: null });

const METER: fc.Arbitrary<Meter> = fc.record({
  currency: fc.constantFrom("BTC", null),
  limits: fc.record<PayoutLimits>({
    payoutCents: BOUND,
    hourCents: BOUND,
    dayCents: BOUND,
    approvalAboveCents: BOUND,
  }),
  out: fc.tuple(CENTS, CENTS).map(([hour, earlier]) => ({
    hourCents: hour,
    dayCents: hour + earlier,
  })),
});

const QUESTION: fc.Arbitrary<ReleaseQuestion> = fc.record({
  cents: CENTS,
  stopped: fc.array(fc.constantFrom("all payouts", "pair eur-btc"), { maxLength: 2 }),
  isReleased: fc.boolean(),
  approvals: fc.nat({ max: 3 }),
  meters: fc.array(METER, { maxLength: 2 }),
});

const outcome = (question: ReleaseQuestion) => decideRelease(question).outcome;
const holds = (law: (question: ReleaseQuestion) => void) =>
  fc.assert(fc.property(QUESTION, law), CASES);

describe("a payout", () => {
  test("never goes while anything that concerns it is stopped, released or not", () => {
    holds((question) => {
      expect(outcome(question) === "wait").toBe(question.stopped.length > 0);
    });
  });

  test("that was released goes, whatever the limits have become", () => {
    holds((question) => {
      expect(outcome({ ...question, isReleased: true, stopped: [] })).toBe("go");
    });
  });

  test("that goes for the first time leaves every limit kept, or two people let it", () => {
    holds((question) => {
      if (question.isReleased || outcome(question) !== "go") return;
      const within = (value: bigint, limit: bigint | null) => limit === null || value <= limit;
      for (const { limits, out } of question.meters) {
        expect(within(question.cents, limits.payoutCents)).toBe(true);
        if (question.approvals >= 2) continue;
        expect(within(question.cents, limits.approvalAboveCents)).toBe(true);
        expect(within(out.hourCents + question.cents, limits.hourCents)).toBe(true);
        expect(within(out.dayCents + question.cents, limits.dayCents)).toBe(true);
      }
    });
  });

  test("that is held stays held when it is larger, more went out, or fewer people approved", () => {
    fc.assert(
      fc.property(QUESTION, CENTS, (question, more) => {
        if (outcome(question) !== "hold") return;
        const meters = question.meters.map((meter) => ({
          ...meter,
          out: { hourCents: meter.out.hourCents + more, dayCents: meter.out.dayCents + more },
        }));
        expect(outcome({ ...question, cents: question.cents + more })).toBe("hold");
        expect(outcome({ ...question, meters })).toBe("hold");
        expect(outcome({ ...question, approvals: Math.max(0, question.approvals - 1) })).toBe(
          "hold",
        );
      }),
      CASES,
    );
  });

  test("is held only where a limit says so, and the words name it", () => {
    holds((question) => {
      const release = decideRelease(question);
      if (release.outcome !== "hold") return;
      const { limitCents, limitOf } = release.cause;
      expect(question.meters.map(({ currency }) => currency)).toContain(limitOf);
      expect(release.why).toContain(`for ${limitOf ?? "all currencies"}`);
      expect(release.why).toContain(describeCents(limitCents ?? -1n));
      const free = question.meters.map((meter) => ({ ...meter, limits: NO_LIMITS }));
      expect(outcome({ ...question, meters: free })).toBe("go");
    });
  });
});

test.each([
  ["payout_limit", { payoutCents: 12_305n }],
  ["approvals", { approvalAboveCents: 12_305n }],
  ["hour_limit", { hourCents: 12_305n }],
  ["day_limit", { dayCents: 12_305n }],
] as const)("a payout above a limit is held with the cause %s and the limit", (code, limits) => {
  const meter = {
    ...{ currency: "BTC", limits: { ...NO_LIMITS, ...limits } },
    out: { hourCents: 7n, dayCents: 70n },
  };
  const question = { cents: 150_000n, stopped: [], isReleased: false, approvals: 1 };
  expect(decideRelease({ ...question, meters: [meter] })).toMatchObject({
    ...{ outcome: "hold", cause: { code, limitCents: 12_305n, limitOf: "BTC" } },
  });
  expect(decideRelease({ ...question, meters: [meter], stopped: ["rail card"] })).toMatchObject({
    ...{ outcome: "wait", cause: { code: "stop", limitCents: null, limitOf: null } },
  });
});

describe("limits", () => {
  const row = { kind: "default", subject: "", ...NO_LIMITS, payoutCents: 5n } as const;

  test("are a currency's own, else the default's, else those that are built in", () => {
    const btc = { ...row, ...currencyKey("btc"), payoutCents: 7n };
    const payoutOf = (rows: readonly (typeof row | typeof btc)[], reference: string) =>
      limitsOf({ environment: "prod", rows }, currencyKey(reference)).payoutCents;
    expect(payoutOf([row, btc], "btc")).toBe(7n);
    expect(payoutOf([row, btc], "eth")).toBe(5n);
    expect(payoutOf([btc], "eth")).toBe(2_000_000n);
  });

  test("are built in for prod alone: a sandbox moves no money", () => {
    for (const environment of ["dev", "staging"] as const) {
      expect(limitsOf({ environment, rows: [] }, currencyKey("btc"))).toEqual(NO_LIMITS);
    }
  });

  test.each([
    [0n, "0.00 EUR"],
    [5n, "0.05 EUR"],
    [123_456n, "1234.56 EUR"],
  ])("%s cents are %s", (cents, words) => {
    expect(describeCents(cents)).toBe(words);
  });
});
