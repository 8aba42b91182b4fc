import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { abortAfter } from "./abort-after.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("a time ends what waits for it, also when garbage is collected meanwhile", async () => {
  const { signal: stopped } = new AbortController();
  const signals = Array.from({ length: 50 }, () => abortAfter(300, stopped));
  const ended = Promise.all(signals.map((signal) => once(signal, "abort")));
  await sleep(0);
  collectGarbage();
  await ended;
  for (const { reason } of signals) expect(reason).toMatchObject({ name: "TimeoutError" });
});

test("the given signal ends it at once, with its reason", () => {
  const controller = new AbortController();
  const signal = abortAfter(60_000, controller.signal);
  controller.abort("stopped");
  expect(signal).toMatchObject({ aborted: true, reason: "stopped" });
});
