import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Answer, startReceiver } from "../testing/webhooks/receiver.ts";
import { type Lease, startLease } from "./lease.ts";
import { makePoster, type Poster } from "./poster.ts";

const INTERRUPTED = { kind: "failed", errorClass: "interrupted" };

afterEach(() => void vi.useRealTimers());
const stopClocks = (): void => void vi.useFakeTimers({ toFake: ["Date", "performance"] });

test("a lease passes while the process is stopped", () => {
  stopClocks();
  const lease = startLease(20_000);
  vi.advanceTimersByTime(3_000);
  expect(lease.leftMs()).toBe(17_000);
});

test("a lease passes while the machine is suspended, and its timers' clock stands still", () => {
  stopClocks();
  const lease = startLease(20_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(lease.leftMs()).toBeLessThan(0);
});

test("a lease does not get longer when the machine's clock is set back", () => {
  stopClocks();
  const lease = startLease(20_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(3_000);
  expect(lease.leftMs()).toBe(17_000);
});

async function receive(answer?: Answer) {
  const receiver = await startReceiver(answer);
  onTestFinished(() => receiver.close());
  return receiver;
}

function makeTestPoster(totalTimeoutMs = 60_000): Poster {
  const policy = { allowSandboxTargets: true };
  const poster = makePoster({ policy, totalTimeoutMs, connectTimeoutMs: 60_000 });
  onTestFinished(() => poster.close());
  return poster;
}

const send = (poster: Poster, url: string, leftMs: Lease["leftMs"]) =>
  poster.post({
    url,
    headers: {},
    body: "{}",
    signal: new AbortController().signal,
    lease: { leftMs },
  });

describe("the lease of a delivery", () => {
  test("ended in a pause while the connection opened: the request is not written", async () => {
    const receiver = await receive();
    let leftMs = 20_000;
    const sent = send(makeTestPoster(), receiver.url, () => leftMs);
    leftMs = 9_999;
    expect(await sent).toEqual(INTERRUPTED);
    expect(receiver.connections()).toBe(1);
    expect(receiver.received).toEqual([]);
  });

  test("ended before a connection was used again: the request is not written", async () => {
    const receiver = await receive();
    const poster = makeTestPoster();
    await send(poster, receiver.url, () => 20_000);
    expect(await send(poster, receiver.url, () => 9_999)).toEqual(INTERRUPTED);
    expect(receiver.received).toHaveLength(1);
  });

  test("ends an attempt that waits for an answer, although its own time is not over", async () => {
    let leftMs = 20_000;
    const receiver = await receive(() => {
      leftMs = 0;
    });
    const poster = makeTestPoster(2_000);
    const outcome = await send(poster, receiver.url, () => leftMs);
    expect(outcome).toEqual(INTERRUPTED);
  });

  test("ended in a pause in which the answer arrived: the answer is read first", async () => {
    let leftMs = 20_000;
    const receiver = await receive((response) => {
      leftMs = 0;
      response.end("the answer");
    });
    const outcome = await send(makeTestPoster(), receiver.url, () => leftMs);
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
  });
});
