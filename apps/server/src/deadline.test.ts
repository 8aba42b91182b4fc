import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { makePoster as makeChainPoster } from "./adapters/chains/rpc.ts";
import { askSigner } from "./adapters/chains/signer-client.ts";
import { makeHttpClient } from "./adapters/client.ts";
import { abortAfter, beforeDeadline, everyTurn, startDeadline } from "./deadline.ts";
import { writeFrame } from "./signer/protocol.ts";
import { startLease } from "./webhooks/lease.ts";
import { makePoster } from "./webhooks/poster.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
afterEach(() => void vi.useRealTimers());

/** Lets timers fire as after a pause of the process: before anything that arrived meanwhile is read. */
const stopTimers = (): void =>
  void vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });

/** One turn of an event loop that is busy for so long: its timers fire late by that. */
async function busyTurn(milliseconds: number): Promise<void> {
  vi.advanceTimersByTime(milliseconds);
  await turn();
}

test("a pause of the process is one turn, however long it was", async () => {
  stopTimers();
  const onTurn = vi.fn();
  const turns = everyTurn(1_000, onTurn);
  vi.advanceTimersByTime(3_600_000);
  expect(onTurn).not.toHaveBeenCalled();
  await turn();
  expect(onTurn).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1_000);
  turns.stop();
  await turn();
  vi.advanceTimersByTime(3_600_000);
  await turn();
  expect(onTurn).toHaveBeenCalledOnce();
});

test("work that takes longer than its deadline is given up at the deadline, once", async () => {
  stopTimers();
  const onExpired = vi.fn();
  startDeadline(1_000, onExpired);
  const hung = beforeDeadline(new Promise(() => {}), 1_000, () => new Error("late"));
  hung.catch(() => {});
  for (let parts = 1; parts <= 10; parts += 1) {
    expect(onExpired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    await turn();
  }
  await expect(hung).rejects.toThrow("late");
  expect(onExpired).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("a deadline is late by one turn at most while the event loop is busy", async () => {
  stopTimers();
  const startedAt = performance.now();
  let expiredMs: number | undefined;
  startDeadline(2_000, () => {
    expiredMs = performance.now() - startedAt;
  });
  while (expiredMs === undefined) await busyTurn(600);
  expect(expiredMs).toBe(2_400);
});

test("a pause takes a part of a deadline and a second from it", async () => {
  stopTimers();
  const onExpired = vi.fn();
  startDeadline(10_000, onExpired);
  await busyTurn(3_600_000);
  for (let passedMs = 2_000; passedMs < 10_000; passedMs += 1_000) {
    expect(onExpired).not.toHaveBeenCalled();
    await busyTurn(1_000);
  }
  expect(onExpired).toHaveBeenCalledOnce();
});

test("a deadline ends early, once, when it is over for another reason", async () => {
  stopTimers();
  const onExpired = vi.fn();
  let isOver = false;
  startDeadline(10_000, onExpired, () => isOver);
  await busyTurn(1_000);
  expect(onExpired).not.toHaveBeenCalled();
  isOver = true;
  await busyTurn(1_000);
  expect(onExpired).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("work that ends in time leaves no timer", async () => {
  stopTimers();
  const late = () => new Error("late");
  expect(await beforeDeadline(Promise.resolve("in time"), 1_000, late)).toBe("in time");
  await expect(beforeDeadline(Promise.reject(new Error("broken")), 1_000, late)).rejects.toThrow(
    "broken",
  );
  expect(vi.getTimerCount()).toBe(0);
});

/** The deadline of the signer's client. The other deadlines of the test are as long. */
const DEADLINE_MS = 10_000;

/** Starts the thread. `pause` stops this thread's event loop until all answers are written and the deadline is over. */
async function startAnsweringThread(questions: number, socketAnswer: Uint8Array) {
  const folder = mkdtempSync(join(tmpdir(), "exchange-pause-"));
  const socketPath = join(folder, "socket");
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const program = new URL("./testing/answering-thread.mjs", import.meta.url);
  const thread = new Worker(program, { workerData: { socketPath, socketAnswer, counts } });
  onTestFinished(async () => {
    await thread.terminate();
    await rm(folder, { recursive: true });
  });
  const [port] = await once(thread, "message");
  const pause = async (): Promise<void> => {
    await vi.waitUntil(() => Atomics.load(counts, 0) === questions, { timeout: DEADLINE_MS });
    await turn();
    Atomics.store(counts, 1, 1);
    Atomics.notify(counts, 1);
    for (let written = 0; written < questions; written = Atomics.load(counts, 2)) {
      Atomics.wait(counts, 2, written);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DEADLINE_MS);
  };
  return { url: `http://127.0.0.1:${port}/`, socketPath, pause };
}

test("answers that arrived during a pause are read: a venue's, a node's, a merchant's and the signer's", async () => {
  const signed = { ok: { kind: "signed" } };
  const thread = await startAnsweringThread(4, writeFrame({ id: 0, ...signed } as never));
  const { url } = thread;
  const { signal } = new AbortController();
  const client = makeHttpClient({ reach: "loopback", timeoutMs: DEADLINE_MS });
  const node = makeChainPoster({ name: "node", url, timeoutMs: DEADLINE_MS });
  const policy = { allowSandboxTargets: true };
  const poster = makePoster({ policy, totalTimeoutMs: DEADLINE_MS });
  onTestFinished(async () => {
    for (const one of [client, node, poster]) await one.close();
  });
  const answers = Promise.all([
    client.get(url, signal),
    node.post("the question"),
    poster.post({ url, headers: {}, body: "the question", signal, lease: startLease(60_000) }),
    askSigner(thread.socketPath, { kind: "state" } as never),
  ]);
  answers.catch(() => {});
  await thread.pause();
  expect(await answers).toMatchObject([
    { status: 200, text: "the answer" },
    "the answer",
    { kind: "answered", status: 200 },
    signed.ok,
  ]);
});

test("a time ends what waits for it, also when garbage is collected meanwhile", async () => {
  const { signal: stopped } = new AbortController();
  const signals = Array.from({ length: 50 }, () => abortAfter(300, stopped).signal);
  const ended = Promise.all(signals.map((signal) => once(signal, "abort")));
  await sleep(0);
  collectGarbage();
  await ended;
  for (const { reason } of signals) expect(reason).toMatchObject({ name: "TimeoutError" });
});

test("the given signal ends it at once, with its reason", () => {
  const controller = new AbortController();
  const { signal, stop } = abortAfter(60_000, controller.signal);
  controller.abort("stopped");
  stop();
  expect(signal).toMatchObject({ aborted: true, reason: "stopped" });
});

test("a signal whose work has ended is stopped, and its client leaves no timer", async () => {
  const client = makeHttpClient({ reach: "loopback", timeoutMs: DEADLINE_MS });
  onTestFinished(() => client.close());
  stopTimers();
  // Nothing listens there, so the answer is a refused connection.
  await expect(client.get("http://127.0.0.1:1/", new AbortController().signal)).rejects.toThrow();
  expect(vi.getTimerCount()).toBe(0);
});
