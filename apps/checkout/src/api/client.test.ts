import { afterEach, expect, test, vi } from "vitest";
import { createCaller } from "./client.ts";
import { createStreamer } from "./stream.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser of 2023, such as Firefox 115, cannot combine signals. */
const withoutAny = () =>
  vi.stubGlobal("AbortSignal", Object.create(AbortSignal, { any: { value: undefined } }));

const QUOTE = { method: "POST", path: "/quotes" } as const;

test("a call that can be given up is answered in a browser without AbortSignal.any", async () => {
  withoutAny();
  const call = createCaller("secret", async () => Response.json({ data: 7 }));
  const { signal } = new AbortController();
  expect(await call({ ...QUOTE, signal })).toEqual({ ok: true, data: 7 });
});

test("a call that is given up ends its request, before and after it is sent", async () => {
  withoutAny();
  const send = vi.fn<typeof fetch>(
    (_address, init) =>
      new Promise((_, reject) => {
        const signal = init?.signal as AbortSignal;
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const call = createCaller("secret", send);
  const given = new AbortController();
  const sent = call({ ...QUOTE, signal: given.signal });
  given.abort();
  const abandoned = { ok: false, problem: { kind: "abandoned" } };
  expect(await sent).toEqual(abandoned);
  expect(await call({ ...QUOTE, signal: given.signal })).toEqual(abandoned);
});

test("an order is followed in a browser without AbortSignal.any", async () => {
  withoutAny();
  const events: string[] = [];
  const body = "data: paid\n\n";
  const headers = { "content-type": "text/event-stream" };
  const stream = createStreamer("secret", async () => new Response(body, { headers }));
  const problem = await stream({
    path: "/orders/7/events",
    signal: new AbortController().signal,
    onAlive: () => {},
    onEvent: ({ data }) => void events.push(data),
  });
  expect(problem).toBeUndefined();
  expect(events).toEqual(["paid"]);
});

test("a fault before the request is an answer, not a rejection", async () => {
  vi.stubGlobal("AbortSignal", {});
  const call = createCaller("secret", async () => Response.json({ data: 7 }));
  expect(await call(QUOTE)).toEqual({ ok: false, problem: { kind: "unreachable" } });
});
