import { ORDER_STATUSES, STATUS_REASONS } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { makeSyncedClock } from "../../start/business-clock.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import { makeDatabase } from "../../testing/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { hasBeen, type PlayedOrder, playOrder } from "../../testing/sandbox-play.ts";
import { type Row, sandboxRows } from "../../testing/sandbox-table.ts";
import { depsOn, makeRole, type TestRole } from "../../testing/service-roles.ts";

// The HTTP server connects with the API's role and the jobs with the worker's, so the table shows their rights too.
// Orders mostly wait: many of them wait at once.
vi.setConfig({ maxConcurrency: 10 });

let world: HttpWorld;
let jobs: JobWorker;
let roles: [TestRole, TestRole];
beforeAll(async () => {
  const clock = makeSyncedClock(() => performance.now());
  const syncClock = async () => clock.sync(await readBusinessNow(world.database));
  const owner = await makeDatabase();
  roles = [await makeRole(owner, "api"), await makeRole(owner, "worker")];
  const [api, worker] = roles;
  const own = { clock, syncClock };
  world = await makeHttpWorld({ database: owner, deps: { ...own, ...depsOn(api.database) } });
  jobs = startJobs({ ...world.deps, ...depsOn(worker.database) });
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await jobs.stop();
  for (const role of roles) await role.close();
  await world.close();
});

const rows = sandboxRows();
const titleOf = ({ status, reason, order, requestMembers }: Row): string =>
  [status, reason && `(${reason})`, "by", order, ...requestMembers.map(([, value]) => value)].join(
    " ",
  );

const movesClock = (row: Row): boolean =>
  row.status === "expired" ||
  row.from === "expired" ||
  row.steps.some((step) => step.kind === "call" && step.path === "/sandbox/clock");

/** The statuses that `advance` passes on the way to the row's first status. */
const WAY_TO: Readonly<Record<string, readonly string[]>> = {
  awaiting_payment: [],
  sending: ["processing"],
  refund_pending: ["in_review", "refund_pending"],
};

/** Returns the number of items in the timeline up to that status. The order may have gone on by then. */
async function bringTo(order: PlayedOrder, status: string): Promise<number> {
  for (const step of WAY_TO[status] ?? [status]) {
    const reply = await order.advance(step);
    expect(reply.status, reply.text).toBe(200);
  }
  const isThere = (item: { readonly status: string }): boolean => item.status === status;
  const { timeline } = await order.until((now) => now.timeline.some(isThere));
  return timeline.findIndex(isThere) + 1;
}

async function follow(row: Row): Promise<void> {
  const order = await playOrder(world, row);
  for (const step of row.steps) await order.do(step);
  await order.until((now) => hasBeen(now, row.status, row.reason));
}

async function advance(row: Row): Promise<void> {
  const order = await playOrder(world, row);
  const before = await bringTo(order, row.from);
  const reply = await order.advance(row.status, row.reason);
  expect(reply.status, reply.text).toBe(200);
  // Been there anew: an order may have stood there before.
  const timeline = reply.body.data.timeline.slice(before);
  expect(hasBeen({ timeline }, row.status, row.reason)).toBe(true);
}

test("the table has every status and every reason", () => {
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(ORDER_STATUSES));
  const reasons = rows.map(({ reason }) => reason).filter((reason) => reason !== "");
  expect(new Set(reasons)).toEqual(new Set(STATUS_REASONS));
});

const still = rows.filter((row) => !movesClock(row));
describe.concurrent("a row of the table holds", () => {
  test.each(still.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => follow(row));
});
describe.concurrent("advance brings an order to the same", () => {
  const advanced = still.filter(({ from }) => from !== "");
  test.each(advanced.map((row) => [`${titleOf(row)}, from ${row.from}`, row] as const))(
    "%s",
    (_title, row) => advance(row),
  );
});

// One clock serves all orders: those that move it come one after another, and last.
const moving = rows.filter(movesClock);
describe("a row that moves the clock holds", () => {
  test.each(moving.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => follow(row));
  const advanced = moving.filter(({ from }) => from !== "");
  test.each(advanced.map((row) => [`${titleOf(row)}, advanced from ${row.from}`, row] as const))(
    "%s",
    (_title, row) => advance(row),
  );
});
