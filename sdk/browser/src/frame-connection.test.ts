import type { FrameMessage, FrameWelcome } from "@exchange/contract/frame";
import { afterEach, expect, test, vi } from "vitest";
import { connectFrame } from "./frame-connection.ts";

const ORIGIN = "http://127.0.0.1:8080";
const HELLO = {
  protocol: "exchange.v1",
  type: "hello",
  instance: "i1",
  load: "l1",
  versions: [1],
};

type WindowEvent = Pick<MessageEvent, "isTrusted" | "origin" | "data"> & { source: unknown };
type Posted = { welcome: FrameWelcome; origin: string; port: MessagePort };

afterEach(() => vi.unstubAllGlobals());

function makeWorld() {
  const listeners = new Set<(event: WindowEvent) => void>();
  vi.stubGlobal("addEventListener", (_type: string, listener: (event: WindowEvent) => void) => {
    listeners.add(listener);
  });
  vi.stubGlobal("removeEventListener", (_type: string, listener: () => void) => {
    listeners.delete(listener);
  });
  const posted: Posted[] = [];
  const frame = {
    postMessage: (welcome: FrameWelcome, origin: string, [port]: MessagePort[]) => {
      if (port !== undefined) posted.push({ welcome, origin, port });
    },
  } as unknown as Window;
  const received: FrameMessage[] = [];
  const welcomeFrame = vi.fn();
  const connection = connectFrame({
    frameWindow: () => frame,
    checkoutOrigin: ORIGIN,
    instance: "i1",
    welcomeFrame,
    takeMessage: (message) => received.push(message),
  });
  const hear = (event: Partial<WindowEvent>): void => {
    for (const listener of listeners) {
      listener({ isTrusted: true, origin: ORIGIN, source: frame, data: HELLO, ...event });
    }
  };
  return { connection, hear, posted, received, welcomeFrame, listeners };
}

test("the frame's hello is answered once, to its origin only, with a port", () => {
  const { hear, posted, welcomeFrame, connection } = makeWorld();
  hear({});
  hear({});
  expect(posted).toHaveLength(1);
  expect(posted[0]?.origin).toBe(ORIGIN);
  expect(posted[0]?.welcome).toEqual({
    protocol: "exchange.v1",
    type: "welcome",
    instance: "i1",
    load: "l1",
    version: 1,
  });
  expect(welcomeFrame).toHaveBeenCalledOnce();
  connection.close();
});

test.each<[string, Partial<WindowEvent>]>([
  ["another origin", { origin: "http://evil.example" }],
  ["an origin that only begins alike", { origin: `${ORIGIN}0` }],
  ["a shorter origin", { origin: "http://127.0.0.1" }],
  ["another window", { source: { postMessage: () => {} } }],
  ["no window", { source: null }],
  ["the page itself, forged", { isTrusted: false }],
  ["another instance", { data: { ...HELLO, instance: "i2" } }],
])("a hello from %s has no effect", (_name, event) => {
  const { hear, posted, welcomeFrame, connection } = makeWorld();
  hear(event);
  expect(posted).toHaveLength(0);
  expect(welcomeFrame).not.toHaveBeenCalled();
  connection.close();
});

test("a frame that was loaded again gets a port of its own and the old one falls silent", async () => {
  const { hear, posted, received, connection } = makeWorld();
  hear({});
  hear({ data: { ...HELLO, load: "l2" } });
  expect(posted.map(({ welcome }) => welcome.load)).toEqual(["l1", "l2"]);
  posted[0]?.port.postMessage({ type: "close", reason: "user" });
  posted[1]?.port.postMessage({ type: "resize", height: 500 });
  await expect.poll(() => received).toEqual([{ type: "resize", height: 500 }]);
  connection.close();
  posted[0]?.port.close();
});

test("nothing is heard after the connection was closed", () => {
  const { hear, posted, connection, listeners } = makeWorld();
  connection.close();
  hear({});
  expect(posted).toHaveLength(0);
  expect(listeners.size).toBe(0);
  expect(() => connection.send({ type: "init-failed" })).not.toThrow();
});
