import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEventReader, createStreamer, type StreamEvent } from "./stream.ts";

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

test("events are delivered as they arrive, and the token is in a header only", async () => {
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

test("a character cut in two is decoded whole", async () => {
  const { write, close, heard, ended } = stream();
  const bytes = new TextEncoder().encode("data: 100 €\n\n");
  await write(bytes.slice(0, -4));
  await write(bytes.slice(-4));
  close();
  await ended;
  expect(heard).toContain("100 €");
});

test("a stream that is silent for 5 seconds, or later for 25, is closed", async () => {
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

test("a refusal is returned, and a response that is not a stream counts as unreachable", async () => {
  const refused = follow(() => Response.json({ code: "TOKEN_EXPIRED" }, { status: 401 }));
  expect(await refused.ended).toMatchObject({ kind: "refused", status: 401 });
  const page = follow(() => new Response("<p>Sign in to the wireless network</p>"));
  expect(await page.ended).toEqual({ kind: "unreachable" });
});

test("an abort closes the stream", async () => {
  const { reader, ended, send } = stream();
  await vi.advanceTimersByTimeAsync(0);
  reader.abort();
  expect(await ended).toEqual({ kind: "abandoned" });
  expect(send.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
});

function eventsIn(...pieces: readonly string[]): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  for (const piece of pieces) read(piece);
  return events;
}

const ORDER = { type: "order", data: '{"orderId":7}' };

test.each(["\n", "\r\n", "\r"])("an event ends with an empty line, ended by %j", (end) => {
  const lines = ["event: order", "id: 3", 'data: {"orderId":7}', "", ""];
  expect(eventsIn(lines.join(end))).toEqual([ORDER]);
});

test.each(["\n", "\r\n"])("the text may be cut anywhere, lines ended by %j", (end) => {
  const text = ["event: order", 'data: {"orderId":7}', "", "event: order", "data: 2", "", ""].join(
    end,
  );
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(eventsIn(text.slice(0, cut), "", text.slice(cut))).toEqual([
      ORDER,
      { type: "order", data: "2" },
    ]);
  }
});

test("an event without its empty line is not delivered", () => {
  expect(eventsIn("event: order\ndata: 1\n")).toEqual([]);
});

test("comments, unknown fields and events without data are ignored", () => {
  expect(eventsIn(": nothing new\n\nretry: 9\nevent: order\n\ndata: 1\ncolour: red\n\n")).toEqual([
    { type: "message", data: "1" },
  ]);
});

test("several lines of data are one text; one space after the colon is not part of it", () => {
  expect(eventsIn("data:a\ndata: b\ndata:  c\ndata\n\n")).toEqual([
    { type: "message", data: "a\nb\n c\n" },
  ]);
});
