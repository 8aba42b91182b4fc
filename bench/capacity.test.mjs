import { expect, test } from "vitest";
import { COSTS, growUntil, SMALL } from "./capacity/grow.mjs";
import { simulate } from "./capacity/simulate.mjs";

const AMPLE = {
  apiCores: 8,
  workerCores: 8,
  workers: 8,
  postgresCores: 16,
  databases: 1,
  networks: 8,
  endpoints: 1_000,
};
const run = (setup, perSecond) => simulate({ setup, costs: COSTS, perSecond, seconds: 4 });
const useOf = ({ uses }, wanted) => uses.find(({ name }) => name === wanted).busy;

test("an order without queues takes the time of the outside and of its own stages", () => {
  const outside = COSTS.authorizeMs + COSTS.captureMs + COSTS.broadcastMs + COSTS.endpointMs;
  const { p99 } = run(AMPLE, 5);
  expect(p99 * 1_000).toBeGreaterThan(outside);
  expect(p99 * 1_000).toBeLessThan(outside + 100);
});

test("the processor of PostgreSQL is used as much as its cost says", () => {
  expect(useOf(run(AMPLE, 400), "postgres")).toBeCloseTo((400 * COSTS.postgresMs) / 16_000, 1);
});

test.each([
  ["postgres", { postgresCores: 1 }],
  ["worker", { workerCores: 0.5 }],
  ["places", { networks: 1 }, { flushMs: 5 }],
  ["endpoints", { endpoints: 1 }],
  ["jobs", { workers: 0.5 }],
])("with too little of it, %s breaks first", (name, change, costs = {}) => {
  const setup = { ...AMPLE, ...change };
  const steps = growUntil({ perSecond: 400, seconds: 8, setup, costs: { ...COSTS, ...costs } });
  expect(steps.next().value).toMatchObject({ breaksAt: name });
});

test("a small setup that grows ends in one that holds", () => {
  const steps = [...growUntil({ perSecond: 100, seconds: 4, setup: SMALL })];
  expect(steps.at(-1).breaksAt).toBeUndefined();
});
