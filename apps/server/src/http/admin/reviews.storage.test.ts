import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test, vi } from "vitest";
import { findReviewer, takeReview } from "../../storage/orders/reviews.ts";
import { unnamedStatement } from "../../storage/postgres/database.ts";
import { csvRows, csvTime, pagesOf, useConsole } from "../../testing/console-world.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { makeRole } from "../../testing/service-roles.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const desk = useConsole(makeOrderWorld);

const REASON = { reason: "the customer showed an invoice" };

/** Pays too little, so that the order waits for a person. */
async function orderInReview() {
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view, { units: 9_000n });
  return Number((await desk.world.untilStatus(view, "in_review")).order.id);
}

const END_REVIEW =
  unnamedStatement(`update orders set status = 'processing', status_reason = null, held_from = null,
  version = version + 1 where id = $1`);
const WAITING = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%order_reviewers%'`;

const logOf = async (orderId: number) => {
  const auditor = await desk.person(["compliance"]);
  const query = { subject: String(orderId) };
  return (await auditor.call(CALLS.listChanges, { query })).body.data;
};

test("of two people who take an order at once one has it, and everybody sees who", async () => {
  const [ada, bob] = [await desk.person(["compliance"]), await desk.person(["support"])];
  for (let round = 0; round < 5; round += 1) {
    const params = { orderId: await orderInReview() };
    const replies = await Promise.all(
      [ada, bob].map((one) => one.call(CALLS.takeOrder, { params })),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const has = replies[0]?.status === 200 ? ada : bob;
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.text).toContain(`${has.email} has taken order ${params.orderId}`);
    const viewer = await desk.person(["viewer"]);
    const story = (await viewer.call(CALLS.readOrderStory, { params })).body.data;
    expect(story.reviewer).toMatchObject({ person: has.email, isYou: false });
    expect((await has.call(CALLS.readOrderStory, { params })).body.data.reviewer?.isYou).toBe(true);
    expect((await has.call(CALLS.takeOrder, { params })).status).toBe(200);
    const taken = (await logOf(params.orderId)).filter(({ action }) => action === "take_order");
    expect(taken).toEqual([expect.objectContaining({ person: has.email, via: "console" })]);
  }
});

test("the database refuses a second person for an order", async () => {
  const orderId = await orderInReview();
  const insert = (person: string) =>
    desk.query("insert into order_reviewers (order_id, person, account) values ($1, $2, $2)", [
      orderId,
      person,
    ]);
  await insert("ada");
  await expect(insert("bob")).rejects.toThrow("order_reviewers_pkey");
});

test("a colleague frees an order by naming who has it, and the log names both", async () => {
  const [ada, bob] = [await desk.person(["support"]), await desk.person(["support"])];
  const params = { orderId: await orderInReview() };
  await ada.call(CALLS.takeOrder, { params });
  const free = (reviewer: string) => bob.call(CALLS.freeOrder, { params, payload: { reviewer } });
  expect((await free(bob.email)).code).toBe("INVALID_ORDER_STATE");
  const freed = await free(ada.email);
  expect(freed.body.data).toMatchObject({ reviewer: null });
  expect(freed.body.data.actions).toContain("take");
  const [change] = await logOf(params.orderId);
  expect(change).toMatchObject({ action: "free_order", person: bob.email });
  expect(change?.changes).toEqual([{ name: "reviewer", before: ada.email, after: null }]);
  expect((await free(ada.email)).code).toBe("INVALID_ORDER_STATE");
});

test("an order that leaves review has no reviewer, even if it is taken at that moment", async () => {
  const ada = await desk.person(["compliance"]);
  for (let round = 0; round < 5; round += 1) {
    const params = { orderId: await orderInReview() };
    const release = ada.call(CALLS.releaseHeldOrder, { params, payload: REASON });
    await Promise.all([ada.call(CALLS.takeOrder, { params }), release]);
    const story = (await ada.call(CALLS.readOrderStory, { params })).body.data;
    expect(story.status).not.toBe("in_review");
    expect(story.reviewer).toBeNull();
    expect((await ada.call(CALLS.takeOrder, { params })).code).toBe("INVALID_ORDER_STATE");
  }
});

test("a taking that waits for the end of the review takes nothing", async () => {
  const orderId = BigInt(await orderInReview());
  const ada = { person: "ada", account: "ada" };
  let taking: Promise<boolean> | undefined;
  await desk.world.database.transaction(async (tx) => {
    await tx.query(END_REVIEW, [orderId]);
    taking = desk.world.database.transaction((other) => takeReview(other, orderId, ada));
    await vi.waitFor(async () => expect(await desk.query(WAITING)).toHaveLength(1), 60_000);
  });
  expect(await taking).toBe(false);
  const left = "select from order_reviewers where order_id = $1";
  expect(await desk.query(left, [String(orderId)])).toEqual([]);
});

test.each(["api", "worker"] as const)(
  "an order that the %s's role moves out of review has no reviewer",
  async (use) => {
    const orderId = BigInt(await orderInReview());
    const { database } = desk.world;
    const ada = { person: "ada", account: "ada" };
    expect(await database.transaction((tx) => takeReview(tx, orderId, ada))).toBe(true);
    const role = await makeRole(database, use);
    await role.database.query(END_REVIEW, [orderId]).finally(role.close);
    expect(await findReviewer(database, orderId)).toBeUndefined();
  },
);

test("the queue shows why, since when and who, by filters and in pages", async () => {
  const ada = await desk.person(["compliance"]);
  const [first, second] = [await orderInReview(), await orderInReview()];
  await ada.call(CALLS.takeOrder, { params: { orderId: second } });
  const list = async (query: Readonly<Record<string, string | number>>) =>
    (await ada.call(CALLS.listReviews, { query: { limit: 100, ...query } })).body.data;
  const idsOf = async (query: Readonly<Record<string, string | number>>) =>
    (await list(query)).map(({ orderId }) => orderId);
  const all = await list({});
  expect(all.at(-1)).toMatchObject({
    ...{ orderId: second, statusReason: "underpaid" },
    reviewer: { person: ada.email, isYou: true },
  });
  expect(all.at(-2)).toMatchObject({ orderId: first, reviewer: null });
  const story = await ada.call(CALLS.readOrderStory, { params: { orderId: first } });
  const came = story.body.data.timeline.find(({ status }) => status === "in_review");
  expect(all.at(-2)?.inReviewSince).toBe(came?.at);
  expect(await idsOf({ which: "mine" })).toEqual([second]);
  expect(await idsOf({ which: "mine", reason: "overpaid" })).toEqual([]);
  const free = await idsOf({ which: "free", reason: "underpaid" });
  expect([free.includes(first), free.includes(second)]).toEqual([true, false]);
  const pages = await pagesOf((page) =>
    ada.call(CALLS.listReviews, { query: { limit: 2, ...page } }),
  );
  const ids = pages.flat().map(({ orderId }) => orderId);
  expect(ids).toEqual(all.map(({ orderId }) => orderId));

  const file = async (query: Readonly<Record<string, string>>) =>
    csvRows((await ada.call(CALLS.exportReviews, { query })).text);
  expect((await file({})).map(({ order }) => Number(order))).toEqual(ids);
  const [mine] = await list({ which: "mine" });
  expect(await file({ which: "mine" })).toEqual([
    expect.objectContaining({
      ...{ order: String(second), merchant: MERCHANT_ID, reason: "underpaid" },
      ...{ spends: mine?.spend.amount, spendCurrency: mine?.spend.currency },
      ...{ inReview: csvTime(mine?.inReviewSince ?? 0), reviewer: ada.email },
      taken: csvTime(mine?.reviewer?.at ?? 0),
    }),
  ]);
  expect(await file({ which: "mine", reason: "overpaid" })).toEqual([]);
});

test("a note stays with its writer's name, and a merchant's people read only their own", async () => {
  const params = { orderId: await orderInReview() };
  const support = await desk.person(["support"]);
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const write = (note: string, by = support) =>
    by.call(CALLS.noteOrder, { params, payload: { note } });
  expect((await write("the bank was asked\r\nfor the sender")).status).toBe(200);
  const theirs = (await write("the customer is a regular", owner)).body.data.notes;
  const own = { person: owner.email, of: "merchant", note: "the customer is a regular" };
  expect(theirs).toEqual([expect.objectContaining(own)]);
  const story = (await support.call(CALLS.readOrderStory, { params })).body.data;
  expect(story.notes).toMatchObject([
    { person: support.email, of: "operator", note: "the bank was asked\nfor the sender" },
    own,
  ]);
  expect(story.decisions.map(({ action }) => action)).not.toContain("note_order");
  const [, logged] = await logOf(params.orderId);
  expect(logged).toMatchObject({ action: "note_order", person: support.email });
  const log = (await owner.call(CALLS.listChanges, { query: { action: "note_order" } })).body.data;
  expect(log.map(({ person }) => person)).toEqual([owner.email]);
  for (const note of ["  ", "a\u0000b", "a\u001b[2Jb", "x".repeat(2_001)]) {
    expect((await write(note)).code, JSON.stringify(note)).toBe("INVALID_INPUT");
  }
});
