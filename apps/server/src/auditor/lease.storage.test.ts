import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { auditOnce } from "./pass.ts";
import { type AuditorState, newAuditor } from "./state.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const run = <Row>(text: string) => world.database.query<Row>(unnamedStatement(text));
const passedAt = async () => {
  const [row] = await run<{ passed: string | null; watermark: string }>(
    "select passed_at::text as passed, watermark::text as watermark from audit_progress",
  );
  return row;
};
const expire = () =>
  run("update audit_progress set leased_until = clock_timestamp() - interval '1 second'");

/** A pass whose comparison with the bank ends when the bank answers. */
const slowPass = async (state: AuditorState) => {
  const bank = { answer: (_lines: []) => {} };
  const statement = vi.fn(() => new Promise<[]>((resolve) => void (bank.answer = resolve)));
  const deps = { ...world.deps, bank: { ...world.deps.bank, statement } };
  const pass = auditOnce(deps as unknown as typeof world.deps, state);
  await expect.poll(() => statement.mock.calls.length).toBe(1);
  return { answer: () => bank.answer([]), pass };
};

test("a pass that takes longer than a lease keeps it, so no second worker begins the same work", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = await slowPass(newAuditor(randomUUID()));
  await expire();
  vi.advanceTimersByTime(10_000);
  const isLeased = "select leased_until > clock_timestamp() as leased from audit_progress";
  await expect.poll(() => run(isLeased)).toEqual([{ leased: true }]);
  expect(await auditOnce(world.deps, newAuditor(randomUUID()))).toBe(false);
  slow.answer();
  expect(await slow.pass).toBe(true);
  expect((await passedAt())?.passed).not.toBeNull();
  await run("update audit_progress set lease_token = null");
});

test("a pass that lost its lease is not passed, and the worker is not the auditor any more", async () => {
  const state = newAuditor(randomUUID());
  const slow = await slowPass(state);
  expect(state.holdsLease).toBe(true);
  await expire();
  expect(await auditOnce(world.deps, newAuditor(randomUUID()))).toBe(true);
  const before = await passedAt();
  slow.answer();
  await expect(slow.pass).rejects.toThrow("another process took the audit over");
  expect(state.holdsLease).toBe(false);
  expect(await passedAt()).toEqual(before);
  await run("update audit_progress set lease_token = null");
});

test("each batch of changes is a sign of life, and a pass without its lease ends before the next", async () => {
  const { order } = await world.order(ORDERS.buyByBank);
  expect(order.status).toBe("awaiting_payment");
  await run("update audit_progress set watermark = '0'");
  const beat = vi.fn();
  const state = newAuditor(randomUUID());
  const taken = () => {
    beat();
    state.holdsLease = false;
  };
  const pass = auditOnce({ ...world.deps, beat: taken }, state);
  await expect(pass).rejects.toThrow("another process took the audit over");
  expect(beat).toHaveBeenCalledTimes(1);
});
