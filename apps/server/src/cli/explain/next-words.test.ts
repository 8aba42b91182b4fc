import { expect, test } from "vitest";
import type { OrderStory } from "../../storage/orders/story.ts";
import { nextWords } from "./next-words.ts";

const AT = new Date("2026-01-31T12:00:00Z");

const storyOf = (status: string, kinds: readonly string[]): OrderStory =>
  ({
    order: {
      ...{ id: "1000123456789", status, statusReason: null, paymentExpiresAt: AT },
      ...{ spend: { assetId: 1, units: "10000" }, receivedUnits: null },
    },
    attempts: [],
    intents: [],
    breaks: [],
    jobs: kinds.map((kind) => ({ kind, runAt: AT, attempts: 0, lastError: null })),
  }) as unknown as OrderStory;

test.each(["completed", "failed", "refunded"])(
  "nothing is to do for an order that is %s",
  (status) => {
    const words = nextWords(storyOf(status, ["expire_order", "send_payout"]), []).join("\n");
    expect(words).not.toContain("To do");
  },
);

test.each([
  ["awaiting_payment", "expire_order", true],
  ["payment_pending", "expire_order", true],
  ["processing", "expire_order", false],
  ["sending", "send_payout", true],
  ["expired", "watch_payment", true],
])("an order that is %s with the job %s has something to do: %s", (status, kind, isJobPending) => {
  expect(
    nextWords(storyOf(status, [kind]), [])
      .join("\n")
      .includes("To do"),
  ).toBe(isJobPending);
});

test.each([
  ["rate_moved", "processing", "Its customer has until", true],
  ["rate_moved", "payment_pending", "A person must decide.", false],
  ["underpaid", "processing", "A person must decide.", false],
])("an order held for %s while %s: %s", (statusReason, heldFrom, decides, isOffered) => {
  const story = storyOf("in_review", ["end_price_offer"]);
  const order = { ...story.order, statusReason, heldFrom } as OrderStory["order"];
  const words = nextWords({ ...story, order }, []);
  expect(words[0]).toContain(decides);
  // The job of an answered offer stays in the table until its time comes.
  expect(words.join("\n").includes("if the new price has no answer")).toBe(isOffered);
});

test("a window that was opened again moves the end of an order that is not paid", () => {
  const story = storyOf("awaiting_payment", ["expire_order"]);
  const order = { ...story.order, paymentExpiresAt: "2026-02-01T12:00:00Z" };
  const words = nextWords({ ...story, order }, []).join("\n");
  expect(words.match(/2026-02-01/g)).toHaveLength(2);
  expect(words).not.toContain("2026-01-31");
});

test("an order whose customer did not answer a new price in time, and has no refund address, waits for a person", () => {
  const story = storyOf("in_review", []);
  const order = { ...story.order, statusReason: "rate_moved", heldFrom: "processing" };
  const words = nextWords({ ...story, order: order as OrderStory["order"] }, [])[0];
  expect(words).toMatch(/^Its customer had until .* A person must decide\./);
});

test.each([
  ["in_review", "payout", "approvals", true],
  ["refund_pending", "refund", "hour_limit", true],
  ["in_review", "payout", "payout_limit", false],
  ["sending", "payout", "rail", false],
])(
  "an order that is %s says why its %s waits, and names approvals for %s: %s",
  (status, purpose, code, isApprovable) => {
    const intent = {
      id: "7",
      purpose,
      state: "created",
      stops: [],
      waitsFor: "it has 0 approvals",
    };
    const story = { ...storyOf(status, []), intents: [{ ...intent, wait: { code } }] };
    const words = nextWords(story as unknown as OrderStory, []);
    expect(words).toContain(`Its ${purpose} 7 waits: it has 0 approvals.`);
    expect(words.includes("To approve it: exchange payouts approve --payout 7.")).toBe(
      isApprovable,
    );
  },
);

test("an order whose card was charged for a part has no release to run, and nobody waits for the rest", () => {
  const story = {
    ...storyOf("in_review", []),
    attempts: [{ status: "declined" }, { status: "captured" }],
  } as unknown as OrderStory;
  const received = { statusReason: "underpaid", receivedUnits: "5000" };
  const order = { ...story.order, ...received } as OrderStory["order"];
  const words = nextWords({ ...story, order }, []).join("\n");
  expect(words).toContain("To refund it: exchange orders refund");
  expect(words).not.toMatch(/release|may still arrive/);
  const whole = nextWords({ ...story, order: { ...order, receivedUnits: "15000" } }, []).join("\n");
  expect(whole).toContain("To release it: exchange orders release");
});
