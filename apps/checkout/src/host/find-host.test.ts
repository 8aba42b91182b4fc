import { OPENING_ID } from "@exchange/contract/frame";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findHost } from "./find-host.ts";

const SHOP = "https://shop.example";
const HASH = `#i=12345678901234567890&o=${encodeURIComponent(SHOP)}`;
const POPUP = { mode: "popup", origins: [SHOP] };
const REDIRECT = {
  mode: "redirect",
  token: "e.y.J",
  returnUrl: `${SHOP}/done?cart=1&exchange_outcome=paid`,
  options: { baseAmount: 100, evil: "<b>" },
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Opened {
  readonly mode: string;
  readonly hash?: string;
  readonly opening?: unknown;
  readonly isFramed?: boolean;
  readonly opener?: object | null;
  readonly storage?: Map<string, string>;
  /** The state of the history entry, which a reload keeps. */
  readonly state?: object;
}

/** A window of the checkout, whose host answers nothing. */
function makeView(opened: Opened) {
  const { mode, hash = "", opening, isFramed, opener = null, storage, state = null } = opened;
  const store = storage ?? new Map<string, string>();
  const host = { postMessage: vi.fn() };
  const travelled = vi.fn();
  const location = {
    hash,
    pathname: "/checkout",
    search: `?clientId=client_dev_1&mode=${mode}`,
    replace: vi.fn(),
  };
  const view = {
    location,
    history: { state, replaceState: vi.fn(), go: vi.fn() },
    document: {
      getElementById: (id: string) =>
        id === OPENING_ID && opening !== undefined
          ? { textContent: JSON.stringify(opening), remove() {} }
          : null,
    },
    sessionStorage: {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, value: string) => void store.set(key, value),
      removeItem: (key: string) => void store.delete(key),
    },
    crypto: globalThis.crypto,
    setTimeout: (run: () => void, ms: number) => globalThis.setTimeout(run, ms),
    clearTimeout: (timer: number) => globalThis.clearTimeout(timer),
    addEventListener: (name: string, run: () => void) => {
      if (name === "popstate") travelled.mockImplementation(run);
    },
    removeEventListener: () => {},
    opener: opener && host,
    parent: undefined as unknown,
  };
  view.parent = isFramed ? host : view;
  const { history } = view;
  return { view: view as unknown as Window, host, location, storage: store, history, travelled };
}

async function find(opened: Opened) {
  const world = makeView(opened);
  const finding = findHost(world.view);
  await vi.advanceTimersByTimeAsync(10_000);
  return { ...world, found: await finding };
}

test.each<[string, Opened]>([
  ["a frame without a fragment", { mode: "modal", isFramed: true }],
  [
    "a frame that says it is a window",
    { mode: "popup", hash: HASH, isFramed: true, opening: POPUP },
  ],
  ["a window that says it is a frame", { mode: "modal", hash: HASH, opener: {} }],
  ["a window that says it is a part of a page", { mode: "inline", hash: HASH, opener: {} }],
  ["a window of no known mode", { mode: "", hash: HASH, opener: {} }],
  ["a window of which the service said nothing", { mode: "popup", hash: HASH, opener: {} }],
  [
    "a window of an origin that is not registered",
    {
      mode: "popup",
      hash: HASH,
      opener: {},
      opening: { mode: "popup", origins: ["https://a.example"] },
    },
  ],
  ["a page to which nothing was posted", { mode: "redirect" }],
  ["a page to which something else was posted", { mode: "redirect", opening: POPUP }],
])("%s speaks to nobody", async (_what, opened) => {
  const { found, host } = await find(opened);
  expect(found).toEqual({ kind: "missing", reason: "link_invalid" });
  expect(host.postMessage).not.toHaveBeenCalled();
});

test("a window connects to the registered origin that opened it, and to no other", async () => {
  const { host, found } = await find({ mode: "popup", hash: HASH, opener: {}, opening: POPUP });
  expect(host.postMessage.mock.calls.length).toBeGreaterThan(0);
  expect(host.postMessage.mock.calls.every(([, origin]) => origin === SHOP)).toBe(true);
  // Nobody answered.
  expect(found).toEqual({ kind: "missing", reason: "host_lost" });
});

test("a window connects in a browser without URL.canParse too", async () => {
  vi.stubGlobal("URL", Object.assign(class extends URL {}, { canParse: undefined }));
  const { host } = await find({ mode: "popup", hash: HASH, opener: {}, opening: POPUP });
  expect(host.postMessage).toHaveBeenCalled();
});

test("a window without its opener reports a lost host", async () => {
  const { found } = await find({ mode: "popup", hash: HASH, opening: POPUP });
  expect(found).toEqual({ kind: "missing", reason: "host_lost" });
});

test("the fragment is removed from the address and stored for a reload", async () => {
  const { history } = await find({ mode: "modal", hash: HASH, isFramed: true });
  expect(history.replaceState).toHaveBeenCalledExactlyOnceWith(
    { hash: HASH },
    "",
    "/checkout?clientId=client_dev_1&mode=modal",
  );
});

test("a reload keeps the number of the step that Back counts from", async () => {
  const state = { hash: HASH, step: 2 };
  const { history } = await find({ mode: "redirect", opening: REDIRECT, state });
  expect(history.replaceState).toHaveBeenCalledExactlyOnceWith(
    state,
    "",
    "/checkout?clientId=client_dev_1&mode=redirect",
  );
});

async function redirected(opened: Partial<Opened> = {}) {
  const world = await find({ mode: "redirect", opening: REDIRECT, ...opened });
  if (world.found.kind !== "found") throw new Error("no host was found");
  const { channel } = world.found;
  const returned = () => new URL(String(world.location.replace.mock.calls[0]?.[0]));
  return { ...world, channel, returned };
}
const SNAPSHOT = {
  sessionId: "cart-1",
  screen: "amount",
  operationType: "B",
  live: false,
} as const;

test("a redirected page starts with the posted opening, even after a reload", async () => {
  const messages: unknown[] = [];
  const first = await redirected();
  first.channel.listen((message) => messages.push(message));
  const again = await redirected({ opening: undefined, storage: first.storage });
  again.channel.listen((message) => messages.push(message));
  const init = { type: "init", token: "e.y.J", options: { baseAmount: 100 } };
  expect(messages).toEqual([init, init]);
});

test("an opening stored for one client is not used for another", async () => {
  const { storage } = await redirected();
  const other = makeView({ mode: "redirect", storage });
  other.location.search = "?clientId=client_dev_2&mode=redirect";
  expect(await findHost(other.view)).toMatchObject({ reason: "link_invalid" });
});

test.each([
  [undefined, "pending"],
  ["unpaid", "pending"],
  ["pending", "pending"],
  ["paid", "paid"],
  ["declined", "declined"],
  ["failed", "failed"],
] as const)(
  "an order whose payment is %s leads back as %s, without the token",
  async (now, word) => {
    const { channel, returned, storage } = await redirected();
    channel.event("orderPlaced", { ...SNAPSHOT, orderId: 42, outcome: "unpaid" });
    channel.event("orderUpdated", { ...SNAPSHOT, orderId: 42, ...(now && { outcome: now }) });
    channel.event("error", { ...SNAPSHOT, sessionId: "", screen: "stopped" });
    channel.close("token_expired");
    expect(returned().href).toBe(
      `${SHOP}/done?cart=1&exchange_outcome=${word}&exchange_session=cart-1&exchange_order=42`,
    );
    expect(storage.size).toBe(0);
  },
);

test.each([
  ["user", "closed"],
  ["session_used", "failed"],
  ["token_expired", "failed"],
] as const)("without an order, closed by %s, the shop hears %s", async (reason, outcome) => {
  const { channel, returned } = await redirected();
  channel.event("screenChanged", { ...SNAPSHOT, screen: "used", orderId: 7 });
  channel.close(reason);
  const { searchParams } = returned();
  expect(searchParams.get("exchange_outcome")).toBe(outcome);
  expect(searchParams.has("exchange_order")).toBe(false);
});

test("a page leaves although the entry behind it belongs to the bank's frame, which fires no popstate", async () => {
  const { channel, history, location } = await redirected({ state: { step: 1 } });
  channel.close("user");
  expect(history.go).toHaveBeenCalledExactlyOnceWith(-1);
  expect(location.replace).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(location.replace).toHaveBeenCalledOnce();
});

test("a customer who presses twice is sent back once, and can leave again from a page that stayed", async () => {
  const { channel, history, location } = await redirected({ state: { step: 1 } });
  channel.close("user");
  channel.close("user");
  expect(history.go).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(location.replace).toHaveBeenCalledOnce();
  channel.close("user");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(location.replace).toHaveBeenCalledTimes(2);
});

test("a page that has passed its own entries leaves once", async () => {
  const { channel, location, travelled } = await redirected({ state: { step: 2 } });
  channel.close("user");
  travelled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(location.replace).toHaveBeenCalledOnce();
});

test("the checkout opens in a browser that blocks storage", async () => {
  const world = makeView({ mode: "redirect", opening: REDIRECT });
  Object.defineProperty(world.view, "sessionStorage", {
    get: () => {
      throw new Error("blocked");
    },
  });
  expect(await findHost(world.view)).toMatchObject({ kind: "found" });
});
