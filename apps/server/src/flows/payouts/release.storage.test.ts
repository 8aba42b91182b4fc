import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LimitRow } from "../../domain/payouts/limits.ts";
import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { insertPayoutApproval } from "../../storage/payouts/approvals.ts";
import { putPayoutLimits } from "../../storage/payouts/controls.ts";
import { bindPlaces } from "../../storage/payouts/sends.ts";
import { putStop } from "../../storage/payouts/stops.ts";
import { statement } from "../../storage/postgres/database.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { owePayout, readPayout, sign } from "../../testing/payouts.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { readOrder } from "../orders/read.ts";
import { releaseOrder } from "../orders/release.ts";
import { approvePayout } from "./approve.ts";
import { makeReleasePayout } from "./release.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const CLEAN = [
  "delete from payout_limits",
  // The database ends a stop only after two people agreed.
  "insert into stop_resumes (kind, subject, person, account) select kind, subject, person, person from stops, (values ('a'), ('b')) p (person)",
  "delete from stops",
  // The earlier payouts are a week old, so that no limit counts them.
  "update installation set clock_offset = clock_offset + interval '7 days'",
];
beforeEach(async () => {
  for (const text of CLEAN) await world.database.query(statement(text.slice(0, 40), text));
});

const release = (intent: PayoutIntent) => makeReleasePayout(world.deps)(intent);
const outcome = async (intent: PayoutIntent) => (await release(intent)).outcome;

const NONE = { payoutCents: null, hourCents: null, dayCents: null, approvalAboveCents: null };
const limit = (
  bounds: Partial<LimitRow>,
  key: Pick<LimitRow, "kind" | "subject"> = { kind: "default", subject: "" },
) =>
  world.database.transaction((tx) => putPayoutLimits(tx, { ...NONE, ...bounds, ...key }, "anna"));
const approve = (intent: PayoutIntent, person: string) =>
  world.database.transaction((tx) => insertPayoutApproval(tx, intent.id, operatorNamed(person)));
/** Releases the order of a payout that was held. */
const releaseHeldOrder = ({ orderId }: PayoutIntent) =>
  releaseOrder(world.deps, { merchantId: MERCHANT_ID, orderId });
const stop = (kind: "all" | "rail" | "pair" | "merchant", subject: string) =>
  putStop(world.database, { kind, subject, reason: "a test", setBy: "anna", peopleToResume: 1 });

describe("limits", () => {
  test("without limits or stops a payout goes and is released once", async () => {
    const intent = await owePayout(world, 10_000n);
    const send = { id: expect.any(String), place: 0n };
    const bound = { id: intent.id, send, releasedAt: expect.any(Date) };
    expect(await release(intent)).toMatchObject({ outcome: "go", intent: bound });
    const { releasedAt } = await readPayout(world, intent.id);
    expect(releasedAt).not.toBeNull();
    expect((await release(intent)).outcome).toBe("go");
    expect((await readPayout(world, intent.id)).releasedAt).toEqual(releasedAt);
  });

  test("a payout above the limit of one is held, with words that say why, and at the limit goes", async () => {
    await limit({ payoutCents: 10_000n });
    expect(await release(await owePayout(world, 10_001n))).toEqual({
      outcome: "hold",
      note: "100.01 EUR is above the limit of one payout, 100.00 EUR for BTC",
    });
    expect(await outcome(await owePayout(world, 10_000n))).toBe("go");
  });

  test("payouts of the last hour count, until the hour is over", async () => {
    await limit({ hourCents: 10_000n });
    expect(await outcome(await owePayout(world, 6_000n))).toBe("go");
    const second = await owePayout(world, 6_000n);
    expect(await outcome(second)).toBe("hold");
    await advance("61 minutes");
    await releaseHeldOrder(second);
    expect(await outcome(second)).toBe("go");
  });

  test("the day's limit holds over the hours, and a rejected payout gives its share back", async () => {
    await limit({ dayCents: 10_000n });
    const first = await owePayout(world, 6_000n);
    expect(await outcome(first)).toBe("go");
    await advance("2 hours");
    const second = await owePayout(world, 6_000n);
    expect(await outcome(second)).toBe("hold");
    await run(
      `update payout_intents set state = 'void', void_reason = 'rejected' where id = '${first.id}'`,
    );
    await releaseHeldOrder(second);
    expect(await outcome(second)).toBe("go");
  });

  test("a currency's own limits replace the default's, and the total holds besides", async () => {
    await limit({ payoutCents: 1n });
    await limit({ payoutCents: 10_000n }, { kind: "currency", subject: "btc" });
    expect(await outcome(await owePayout(world, 9_000n))).toBe("go");
    await limit({ hourCents: 9_500n }, { kind: "total", subject: "" });
    expect(await release(await owePayout(world, 501n))).toMatchObject({
      outcome: "hold",
      note: expect.stringContaining("for all currencies"),
    });
  });

  test("in prod limits hold that nobody had to set", async () => {
    const intent = await owePayout(world, 2_000_001n);
    const prod = { ...world.deps, environment: "prod" as const };
    expect(await makeReleasePayout(prod)(intent)).toMatchObject({ outcome: "hold" });
  });

  test("a payout whose order was held meanwhile is not released", async () => {
    const intent = await owePayout(world, 100n);
    await run(
      `update orders set status = 'in_review', held_from = 'sending', version = version + 1
       where id = ${intent.orderId}`,
    );
    await release(intent);
    expect((await readPayout(world, intent.id)).releasedAt).toBeNull();
  });

  test("two payouts at the edge of the hour: one goes, whichever, and never both", async () => {
    await limit({ hourCents: 10_000n });
    for (let round = 0; round < 40; round += 1) {
      await advance("2 hours");
      const pair = await Promise.all([owePayout(world, 6_000n), owePayout(world, 6_000n)]);
      const outcomes = await Promise.all(pair.map(outcome));
      expect(outcomes.toSorted(), `round ${round}`).toEqual(["go", "hold"]);
    }
  });

  test("payouts that take one turn together count against each other, and each has its own place", async () => {
    await limit({ hourCents: 10_000n });
    const intents = await Promise.all(Array.from({ length: 5 }, () => owePayout(world, 3_000n)));
    const releaseTogether = makeReleasePayout(world.deps);
    const releases = await Promise.all(intents.map(releaseTogether));
    expect(releases.map((each) => each.outcome)).toEqual(["go", "go", "go", "hold", "hold"]);
    const stored = await Promise.all(intents.map(({ id }) => readPayout(world, id)));
    const going = stored.slice(0, 3);
    expect(new Set(going.map(({ send }) => send?.place)).size).toBe(3);
    expect(going.map(({ releasedAt }) => releasedAt)).not.toContain(null);
    expect(stored.slice(3).map(({ send, releasedAt }) => [send, releasedAt])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  test("a refund above a limit waits, since its order is with a person already", async () => {
    await limit({ payoutCents: 1n });
    const intent = { ...(await owePayout(world, 100n)), purpose: "refund" as const };
    expect(await outcome(intent)).toBe("wait");
  });
});

describe("approvals", () => {
  test("above the set amount two different people must approve", async () => {
    await limit({ approvalAboveCents: 10_000n });
    const intent = await owePayout(world, 10_001n);
    expect(await outcome(intent)).toBe("hold");
    expect(await approve(intent, "anna")).toBe(true);
    expect(await approve(intent, "anna")).toBe(false);
    await releaseHeldOrder(intent);
    expect(await outcome(intent)).toBe("hold");
    await approve(intent, "ben");
    await releaseHeldOrder(intent);
    expect(await outcome(intent)).toBe("go");
    expect(await outcome(await owePayout(world, 10_000n))).toBe("go");
  });

  test("that arrive right after the decision to hold find the order in review, and release it", async () => {
    await limit({ approvalAboveCents: 10_000n });
    const { id: intentId, ...intent } = await owePayout(world, 10_001n);
    expect(await outcome({ ...intent, id: intentId })).toBe("hold");
    const key = { merchantId: MERCHANT_ID, orderId: intent.orderId };
    expect((await readOrder(world.deps, key)).order).toMatchObject({
      ...{ status: "in_review", statusReason: "limit_exceeded", heldFrom: "sending" },
    });
    const approvals = ["anna", "ben"].map((name) => ({ intentId, by: operatorNamed(name) }));
    for (const approval of approvals) await approvePayout(world.deps, approval);
    expect((await readOrder(world.deps, key)).order.status).toBe("sending");
    expect(await outcome({ ...intent, id: intentId })).toBe("go");
  });

  test("lift the hour's and the day's limit, but never that of one payout", async () => {
    await limit({ payoutCents: 10_000n, hourCents: 0n, dayCents: 0n });
    const [small, large] = [await owePayout(world, 10_000n), await owePayout(world, 10_001n)];
    for (const person of ["anna", "ben"]) {
      await approve(small, person);
      await approve(large, person);
    }
    expect(await outcome(small)).toBe("go");
    expect(await outcome(large)).toBe("hold");
  });

  test("one person who approves many times at once counts once", async () => {
    await limit({ approvalAboveCents: 0n });
    for (let round = 0; round < 20; round += 1) {
      const intent = await owePayout(world, 100n);
      const noted = await Promise.all(Array.from({ length: 5 }, () => approve(intent, "anna")));
      expect(noted.filter(Boolean)).toHaveLength(1);
      expect(await outcome(intent)).toBe("hold");
    }
  });

  test("an approval is never changed or removed", async () => {
    const intent = await owePayout(world, 100n);
    await approve(intent, "anna");
    await expect(run("update payout_approvals set person = 'ben'")).rejects.toThrow("insert-only");
    await expect(run("delete from payout_approvals")).rejects.toThrow("insert-only");
  });
});

describe("stops", () => {
  test.each([
    ["all", ""],
    ["rail", "chain"],
    ["rail", "chain:bitcoin"],
    ["pair", "eur-btc"],
    ["merchant", MERCHANT_ID],
  ] as const)("a stop of %s %s holds the payout up, and others do not", async (kind, subject) => {
    for (const other of ["chain:ethereum", "bank", "bank:sepa", "card"]) await stop("rail", other);
    await stop("pair", "btc-eur");
    await stop("merchant", "client_dev_OTHER");
    const intent = await owePayout(world, 100n);
    await stop(kind, subject);
    expect(await release(intent)).toMatchObject({
      outcome: "wait",
      why: expect.stringContaining("a test"),
    });
    expect((await readPayout(world, intent.id)).releasedAt).toBeNull();
    await run(
      `insert into stop_resumes (kind, subject, person, account) values ('${kind}', '${subject}', 'anna', 'anna')`,
    );
    await run(`delete from stops where kind = '${kind}' and subject = '${subject}'`);
    expect(await outcome(intent)).toBe("go");
  });

  test("a released payout is not signed while it is stopped, and stays released", async () => {
    const intent = await owePayout(world, 100n);
    // Released and not bound yet: only then can the guard of the place be seen.
    await run(`update payout_intents set released_at = business_now() where id = '${intent.id}'`);
    await stop("all", "");
    expect(await outcome(intent)).toBe("wait");
    const binding = world.database.transaction((tx) =>
      bindPlaces(tx, [{ intentId: intent.id, sendId: randomUUID() }]),
    );
    await expect(binding).rejects.toThrow("is stopped: a test");
    await expect(sign(world, intent.id)).rejects.toThrow("is stopped: a test");
    expect((await readPayout(world, intent.id)).releasedAt).not.toBeNull();
  });

  test("nothing is signed that was not released", async () => {
    const intent = await owePayout(world, 100n);
    await expect(sign(world, intent.id)).rejects.toThrow("payout_intents_released");
  });

  test("a stop waits for a payout that is being signed, and then prevents every other", async () => {
    const [early, late] = await Promise.all([owePayout(world, 100n), owePayout(world, 100n)]);
    await Promise.all([early, late].map(outcome));
    const order: string[] = [];
    let stopping: Promise<unknown> | undefined;
    await world.database.transaction(async (tx) => {
      await sign({ database: tx }, early.id);
      stopping = stop("all", "").then(() => order.push("stopped"));
      await sleep(150);
      order.push("signed");
    });
    await stopping;
    expect(order).toEqual(["signed", "stopped"]);
    await expect(sign(world, late.id)).rejects.toThrow("is stopped");
  });

  test("a release or a signature that meets a stop being set waits for it, and is refused", async () => {
    const [fresh, released] = await Promise.all([owePayout(world, 100n), owePayout(world, 100n)]);
    await outcome(released);
    let releasing: Promise<string> | undefined;
    let signing: Promise<string> | undefined;
    await world.database.transaction(async (tx) => {
      const all = { kind: "all", subject: "", reason: "a test", setBy: "anna" } as const;
      await putStop(tx, { ...all, peopleToResume: 1 });
      releasing = outcome(fresh);
      signing = sign(world, released.id).then(
        () => "signed",
        (error: Error) => error.message,
      );
      await sleep(150);
    });
    expect(await releasing).toBe("wait");
    expect(await signing).toContain("is stopped");
  });
});

describe("binding", () => {
  const bind = async (intent: PayoutIntent): Promise<BoundPayout> => {
    await release(intent);
    return readPayout(world, intent.id);
  };

  test("each payout that is bound at the same time has a place of its own in the sequence", async () => {
    const intents = await Promise.all(Array.from({ length: 6 }, () => owePayout(world, 100n)));
    const bound = await Promise.all(intents.map(bind));
    const places = bound.map(({ send }) => Number(send?.place)).toSorted((a, b) => a - b);
    expect(places.map((place) => place - (places[0] ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
    for (const intent of bound) expect(intent.releasedAt).not.toBeNull();
    const next = await bind(await owePayout(world, 100n));
    expect(Number(next.send?.place)).toBe((places.at(-1) ?? 0) + 1);
  });

  test("a payout keeps its place when it is bound again", async () => {
    const intent = await owePayout(world, 100n);
    const bound = await bind(intent);
    expect(await bind(intent)).toEqual(bound);
  });
});

const run = (text: string) =>
  world.database.transaction(async (tx) => {
    await tx.runScript(text);
  });
const advance = (interval: string) =>
  run(`update installation set clock_offset = clock_offset + interval '${interval}'`);
