import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startAuditor } from "../auditor/auditor.ts";
import { makeReadinessCheck } from "../flows/check-readiness.ts";
import { startJobs } from "../jobs/worker.ts";
import { readConfigState } from "../storage/catalogue/config-version.ts";
import { advanceHistory } from "../storage/history.ts";
import { turnByHand } from "../testing/turn-by-hand.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { startDispatcher } from "../webhooks/dispatcher.ts";
import { choosePort } from "./address.ts";
import { compareClocks } from "./business-clock.ts";
import { listenHealth } from "./health-port.ts";
import { LOOP_DEADLINES_MS, LOOPS, LOOPS_CHECK_MS, watchLoops } from "./watch-loops.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const WORKER_LOOPS = ["jobs", "webhooks", "audit"] as const;

test("every loop of a worker says that it goes round", async () => {
  const beat = vi.fn();
  const deps = { ...world.deps, beat };
  const workers = [startJobs(deps), startDispatcher(deps), startAuditor(deps)];
  await expect.poll(() => new Set(beat.mock.calls.flat())).toEqual(new Set(WORKER_LOOPS));
  const rounds = beat.mock.calls.length;
  await expect.poll(() => beat.mock.calls.length).toBeGreaterThan(rounds + 1);
  for (const worker of workers) await worker.stop();
});

test("a worker whose loop hangs fails its liveness, and says so once in its log", async () => {
  const hand = turnByHand();
  const log = { ...world.deps.log, error: vi.fn(), warn: vi.fn() };
  const loops = watchLoops(log as never, LOOPS.worker, hand.every);
  const config = {
    host: "localhost",
    healthPort: await choosePort({ host: "localhost", port: 0 }),
  };
  const scrape = async () => ({ type: "text/plain", text: "" });
  const close = await listenHealth({ config, deps: world.deps, loops, scrape });
  const livez = async () => {
    const reply = await fetch(`http://localhost:${config.healthPort}/livez`);
    return [reply.status, await reply.json()];
  };
  try {
    const fine = { configuration: "ok", jobs: "ok", webhooks: "ok", audit: "ok" };
    expect(await livez()).toEqual([200, { status: "ok", loops: fine }]);
    const turns = LOOP_DEADLINES_MS.jobs / LOOPS_CHECK_MS;
    hand.turn(turns);
    expect(await livez()).toEqual([200, { status: "ok", loops: fine }]);
    loops.beat("webhooks");
    loops.beat("configuration");
    hand.turn(1);
    expect(await livez()).toEqual([503, { status: "failing", loops: { ...fine, jobs: "stuck" } }]);
    expect(log.error).toHaveBeenCalledOnce();
    expect(log.error.mock.calls[0]?.[0]).toEqual({ loop: "jobs", silentSeconds: 65 });
    loops.beat("jobs");
    expect(await livez()).toEqual([200, { status: "ok", loops: fine }]);
    expect(log.warn).toHaveBeenCalledOnce();
    const ready = await fetch(`http://localhost:${config.healthPort}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: "ok" }]);
    const other = await fetch(`http://localhost:${config.healthPort}/v1/orders`);
    expect(other.status).toBe(404);
    const taken = listenHealth({ config, deps: world.deps, loops, scrape });
    await expect(taken).rejects.toThrow("EXCHANGE_HEALTH_PORT");
  } finally {
    loops.stop();
    await close();
  }
});

test("a probe is answered while another address holds every connection of the health port", async () => {
  const [host, connectionsMax] = ["127.0.0.1", 32];
  const port = await choosePort({ host, port: 0 });
  const close = await listenHealth({
    config: { host, healthPort: port },
    deps: world.deps,
    loops: { states: () => ({}) as never },
    scrape: async () => ({ type: "text/plain", text: "" }),
  });
  const idle = Array.from({ length: connectionsMax }, () =>
    connect({ port, host, localAddress: "127.0.0.2" }),
  );
  try {
    for (const socket of idle) socket.on("error", () => {});
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    expect((await fetch(`http://${host}:${port}/livez`)).status).toBe(200);
  } finally {
    for (const socket of idle) socket.destroy();
    await close();
  }
});

test("a service whose API processes have all ended is not ready, and its process is alive", async () => {
  const healthPort = await choosePort({ host: "localhost", port: 0 });
  const loops = watchLoops(world.deps.log, LOOPS.api);
  const isListening = vi.fn(() => true);
  const scrape = async () => ({ type: "text/plain", text: "" });
  const config = { host: "localhost", healthPort };
  const close = await listenHealth({ config, deps: world.deps, loops, isListening, scrape });
  const probe = async (path: string) => {
    const reply = await fetch(`http://localhost:${healthPort}/${path}`);
    return [reply.status, await reply.json()];
  };
  try {
    expect(await probe("readyz")).toMatchObject([200, { status: "ok" }]);
    isListening.mockReturnValue(false);
    const cause = "No API process listens. The log says why they end.";
    expect(await probe("readyz")).toMatchObject([503, { status: "failing", cause }]);
    expect(await probe("livez")).toMatchObject([200, { status: "ok" }]);
  } finally {
    loops.stop();
    await close();
  }
});

test("a database that answers reads while its writes hang is not ready", async () => {
  const hand = turnByHand();
  const check = makeReadinessCheck(world.deps, hand.once);
  expect((await check()).isReady).toBe(true);
  expect((await check()).isReady).toBe(true);
  hand.turn(1);
  expect(await check()).toMatchObject({
    isReady: false,
    checks: { database: "failing" },
    cause: "The database answers reads, and its writes hang.",
  });
  await advanceHistory(world.database, 0n);
  expect((await check()).isReady).toBe(true);
});

test("a clock that differs from the database's is not ready, and is one line of the log", async () => {
  const log = { error: vi.fn(), warn: vi.fn() };
  const clocks = compareClocks(log);
  const check = makeReadinessCheck({ ...world.deps, clockAheadMs: clocks.aheadMs });
  const see = async (): Promise<number> => {
    for (;;) {
      const askedMs = performance.now();
      const { clockAheadMs } = await readConfigState(world.database);
      // The round trip is the error of the comparison. A long one is repeated.
      if (performance.now() - askedMs > 400) continue;
      clocks.see(clockAheadMs);
      return clockAheadMs;
    }
  };
  expect(Math.abs(await see())).toBeLessThan(1_000);
  expect(await check()).toMatchObject({ isReady: true, checks: { clock: "ok" } });
  const realNow = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => realNow() - 7_200_000);
  try {
    expect(Math.round((await see()) / 1_000)).toBe(-7_200);
    expect(await see()).toBeLessThan(0);
    expect(await check()).toMatchObject({
      isReady: false,
      checks: { clock: "failing", database: "ok" },
      cause: "The clock of this machine is 7200 s behind the database's.",
    });
  } finally {
    vi.restoreAllMocks();
  }
  await see();
  expect((await check()).isReady).toBe(true);
  expect(log.error).toHaveBeenCalledOnce();
  expect(log.error.mock.calls[0]?.[0]).toEqual({ aheadSeconds: -7_200 });
  expect(log.warn).toHaveBeenCalledOnce();
});
