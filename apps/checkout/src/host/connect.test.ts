import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectToHost } from "./connect.ts";

const ADDRESS = { instance: "0123456789abcdef", hostOrigin: "https://shop.example" };
const PORT = { name: "port" } as unknown as MessagePort;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Hello {
  readonly load: string;
}

function makeWindows() {
  const listeners = new Set<(event: unknown) => void>();
  const hellos: Hello[] = [];
  const host = { postMessage: vi.fn((hello: Hello, _origin: string) => hellos.push(hello)) };
  const own = {
    crypto: globalThis.crypto,
    setTimeout: (run: () => void, ms: number) => globalThis.setTimeout(run, ms),
    clearTimeout: (timer: number) => globalThis.clearTimeout(timer),
    addEventListener: (_: string, listener: (event: unknown) => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: (event: unknown) => void) =>
      listeners.delete(listener),
  };
  const receive = (change: object = {}, data: object = {}): void => {
    const welcome = {
      protocol: "exchange.v1",
      type: "welcome",
      version: 1,
      instance: ADDRESS.instance,
      load: hellos[0]?.load,
      ...data,
    };
    const event = { origin: ADDRESS.hostOrigin, source: host, data: welcome, ports: [PORT] };
    for (const listener of listeners) listener({ ...event, ...change });
  };
  const windows = { own, host } as unknown as Parameters<typeof connectToHost>[0];
  return { windows, host, hellos, listeners, receive };
}

test("a welcome from the named window, origin and load opens the port", async () => {
  const world = makeWindows();
  const connected = connectToHost(world.windows, ADDRESS);
  world.receive();
  await expect(connected).resolves.toBe(PORT);
  expect(world.listeners.size).toBe(0);
});

test("forged welcomes are dropped and the true one still counts", async () => {
  const world = makeWindows();
  const connected = connectToHost(world.windows, ADDRESS);
  const other = { name: "forged" };
  world.receive({ origin: "https://shop.example.evil.test", ports: [other] });
  world.receive({ source: {}, ports: [other] });
  world.receive({ ports: [other] }, { instance: "another-instance" });
  world.receive({ ports: [other] }, { load: "another-load" });
  world.receive({ ports: [] });
  world.receive();
  await expect(connected).resolves.toBe(PORT);
});

test("hello goes to the named origin only, with growing pauses, for ten seconds at most", async () => {
  const world = makeWindows();
  const connected = connectToHost(world.windows, ADDRESS);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(connected).resolves.toBeUndefined();
  const count = world.hellos.length;
  expect(count).toBeGreaterThan(15);
  expect(count).toBeLessThan(40);
  expect(
    world.host.postMessage.mock.calls.every(([, origin]) => origin === ADDRESS.hostOrigin),
  ).toBe(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(world.hellos.length).toBe(count);
});
