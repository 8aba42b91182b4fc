import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** A stream that tells its page what the test wants. */
class Stream extends EventTarget {
  static all: Stream[] = [];
  isOpen = true;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    Stream.all.push(this);
  }
  close(): void {
    this.isOpen = false;
  }
  tell(lastEventId: string): void {
    const data = JSON.stringify({ sessionId: `session-${lastEventId}`, sentAt: null, note: "" });
    this.dispatchEvent(Object.assign(new Event("webhook"), { data, lastEventId }));
  }
}

class Page extends EventTarget {
  visibilityState = "visible";
  readonly forms = { namedItem: () => null };
  getElementById = () => ({ prepend: () => {}, children: [] });
  createElement = () => ({ append: () => {}, dataset: {} });
  querySelectorAll = () => [];
  show(state: "visible" | "hidden"): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let page: Page;

beforeEach(() => {
  page = new Page();
  Stream.all = [];
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  vi.stubGlobal("EventSource", Stream);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const open = () => Stream.all.filter(({ isOpen }) => isOpen);

test("a hidden page holds no connection, so that a seventh tab of the shop loads", async () => {
  const { watchWebhooks } = await import("./event-log.ts");
  const sessions: (string | null)[] = [];
  watchWebhooks((sessionId) => void sessions.push(sessionId));
  expect(open()).toHaveLength(1);
  open()[0]?.tell("7");
  page.show("hidden");
  expect(open()).toEqual([]);
  page.show("visible");
  // The shop sends the webhooks that follow the last one.
  expect(open().map(({ url }) => url)).toEqual(["/api/live?after=7"]);
  expect(sessions).toEqual(["session-7"]);
});
