import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStreamer } from "./stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const STREAM = { headers: { "content-type": "text/event-stream; charset=utf-8" } };

function follow(respond: (body: ReadableStream<Uint8Array>) => Response) {
  let pipe: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (pipe = controller) });
  const send = vi.fn<typeof fetch>(async (_address, init) => {
    init?.signal?.addEventListener("abort", () => pipe?.error(new Error("aborted")));
    return respond(body);
  });
  const heard: string[] = [];
  const reader = new AbortController();
  const ended = createStreamer(
    "secret",
    send,
  )({
    path: "/orders/7/events",
    signal: reader.signal,
    onAlive: () => void heard.push("alive"),
    onEvent: ({ data }) => void heard.push(data),
  });
  const write = async (bytes: Uint8Array | string): Promise<void> => {
    pipe?.enqueue(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { send, heard, reader, ended, write, close: () => pipe?.close() };
}

const stream = () => follow((body) => new Response(body, STREAM));

test("events are told as they come, and the token travels in a header only", async () => {
  const { write, close, heard, ended, send } = stream();
  await write("event: order\ndata: one\n\n");
  await write(": nothing new\n\n");
  close();
  expect(await ended).toBeUndefined();
  expect(heard).toEqual(["alive", "one", "alive"]);
  const [address, init] = send.mock.calls[0] ?? [];
  expect(address).toBe("/v1/checkout/orders/7/events");
  expect(init?.headers).toMatchObject({ authorization: "Bearer secret" });
});

test("a character that is cut in two is read whole", async () => {
  const { write, close, heard, ended } = stream();
  const bytes = new TextEncoder().encode("data: 100 €\n\n");
  await write(bytes.slice(0, -4));
  await write(bytes.slice(-4));
  close();
  await ended;
  expect(heard).toContain("100 €");
});

test("a stream that says nothing for 5 seconds, or later for 25, is given up", async () => {
  const silent = stream();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await silent.ended).toEqual({ kind: "unreachable" });
  expect(silent.heard).toEqual([]);
  const dying = stream();
  await vi.advanceTimersByTimeAsync(0);
  await dying.write(": nothing new\n\n");
  await vi.advanceTimersByTimeAsync(24_000);
  await dying.write(": nothing new\n\n");
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await dying.ended).toEqual({ kind: "unreachable" });
  expect(dying.heard).toEqual(["alive", "alive"]);
});

test("a refusal says why, and what is no stream is no answer", async () => {
  const refused = follow(() => Response.json({ code: "TOKEN_EXPIRED" }, { status: 401 }));
  expect(await refused.ended).toMatchObject({ kind: "refused", status: 401 });
  const page = follow(() => new Response("<p>Sign in to the wireless network</p>"));
  expect(await page.ended).toEqual({ kind: "unreachable" });
});

test("who stops listening lets go of the stream", async () => {
  const { reader, ended, send } = stream();
  await vi.advanceTimersByTimeAsync(0);
  reader.abort();
  expect(await ended).toEqual({ kind: "abandoned" });
  expect(send.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
});
