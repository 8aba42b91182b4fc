import { ADMIN_ENDPOINTS as CALLS, rolesOf } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { createMerchant } from "../../flows/merchants/create.ts";
import { recordRefundAddress } from "../../flows/orders/record-refund-address.ts";
import { approvePayout } from "../../flows/payouts/approve.ts";
import { setPayoutLimits } from "../../flows/payouts/set-limits.ts";
import { unnamedStatement } from "../../storage/postgres/database.ts";
import { pagesOf, useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const desk = useConsole(makeOrderWorld);

const REASON = { reason: "the customer called and proved who they are" };

const approveAbove = (subject: string, approvalAboveCents: bigint) =>
  setPayoutLimits(desk.world.deps, {
    ...{ kind: "currency", subject, changes: { approvalAboveCents } },
    by: operatorNamed("anna"),
  });

/** Pays too little, so that the order waits for a person. */
async function underpaidOrder({
  wanted = ORDERS.buyByBank,
  units = 9_000n,
}: {
  readonly wanted?: typeof ORDERS.sell | typeof ORDERS.buyByBank;
  readonly units?: bigint;
} = {}) {
  const view = await desk.world.order(wanted);
  await desk.world.pay(view, { units });
  return Number((await desk.world.untilStatus(view, "in_review")).order.id);
}

test("support finds an order and sees why it waits, and compliance releases it with a reason", async () => {
  const orderId = await underpaidOrder();
  const support = await desk.person(["support"]);
  const found = await support.call(CALLS.searchOrders, { query: { text: String(orderId) } });
  expect(found.body.data).toEqual([
    expect.objectContaining({ orderId, foundBy: ["order id", "payment reference"] }),
  ]);
  const params = { orderId };
  const story = (await support.call(CALLS.readOrderStory, { params })).body.data;
  expect(story).toMatchObject({ status: "in_review", statusReason: "underpaid" });
  expect(story.actions).toEqual(["take", "note"]);
  expect(story.timeline.at(-1)).toMatchObject({ status: "in_review", statusReason: "underpaid" });
  const release = CALLS.releaseHeldOrder;
  expect((await support.call(release, { params, payload: REASON })).code).toBe("ROLE_REQUIRED");

  const compliance = await desk.person(["compliance"]);
  expect((await compliance.call(release, { params, payload: {} })).code).toBe("INVALID_INPUT");
  const released = await compliance.call(release, { params, payload: REASON });
  expect(released.status, released.text).toBe(200);
  expect(released.body.data.decisions[0]).toMatchObject({
    person: compliance.email,
    action: "release_order",
    ...REASON,
  });
  const query = { subject: String(orderId) };
  const [change] = (await compliance.call(CALLS.listChanges, { query })).body.data;
  expect(change).toMatchObject({ ...REASON, via: "console", address: "127.0.0.1" });
  expect(change?.changes).toContainEqual(
    expect.objectContaining({ name: "status", before: "in_review" }),
  );
});

test("a decision is refused once the order waits for something else than the person saw", async () => {
  const orderId = await underpaidOrder();
  const compliance = await desk.person(["compliance"]);
  const params = { orderId };
  for (const decide of [CALLS.releaseHeldOrder, CALLS.refundHeldOrder]) {
    const stale = { params, payload: { ...REASON, statusReason: "overpaid" } };
    const refused = await compliance.call(decide, stale);
    expect(refused.code).toBe("INVALID_ORDER_STATE");
    expect(refused.text).toContain("The order is in_review for underpaid now.");
  }
  const seen = { params, payload: { ...REASON, statusReason: "underpaid" } };
  expect((await compliance.call(CALLS.releaseHeldOrder, seen)).status).toBe(200);
  const late = await compliance.call(CALLS.releaseHeldOrder, seen);
  expect(late.text).toContain("Read it again before you decide.");
});

test("two treasurers approve a payout, one alone cannot, and a name of the command line is not theirs", async () => {
  await approveAbove("btc", 0n);
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view);
  await desk.world.untilStatus(view, "in_review");
  const [first, second] = [await desk.person(["treasury"]), await desk.person(["treasury"])];
  const waiting = (await first.call(CALLS.listPayouts)).body.data;
  const payout = waiting.find(({ orderId }) => orderId === Number(view.order.id));
  expect(payout).toMatchObject({ approvedBy: [], approvalsNeeded: 2, mayApprove: true });
  const options = { params: { payoutId: payout?.payoutId ?? "" }, payload: {} };
  const once = await first.call(CALLS.approvePayout, options);
  expect(once.body.data).toMatchObject({ approvedBy: [first.email], mayApprove: false });
  expect((await first.call(CALLS.approvePayout, options)).code).toBe("INVALID_INPUT");
  expect((await desk.world.untilStatus(view, "in_review")).payout?.releasedAt).toBeNull();
  const twice = await second.call(CALLS.approvePayout, options);
  expect(twice.body.data.approvedBy).toEqual([first.email, second.email]);
  await desk.world.untilStatus(view, "completed");
  await approveAbove("btc", 10n ** 9n);
});

test("compliance returns the excess of a completed order after its refund was rejected, and a merchant does not", async () => {
  const view = await desk.world.order(ORDERS.transfer);
  await desk.world.pay(view);
  await desk.world.untilStatus(view, "completed");
  const params = { orderId: Number(view.order.id) };
  const compliance = await desk.person(["compliance"]);
  const owner = await desk.person(rolesOf("merchant"), MERCHANT_ID);
  const actionsOf = async (person: typeof compliance) =>
    (await person.call(CALLS.readOrderStory, { params })).body.data.actions;
  expect(await actionsOf(compliance)).not.toContain("refund");
  await desk.world.pay(view, { returns: "rejected" });
  await desk.world.until(view, ({ refunds }) => refunds[0]?.state === "void");
  expect(await actionsOf(compliance)).toContain("refund");
  expect(await actionsOf(owner)).not.toContain("refund");
  const refund = { params, payload: REASON };
  expect((await owner.call(CALLS.refundHeldOrder, refund)).code).toBe("INVALID_ORDER_STATE");
  const refunded = await compliance.call(CALLS.refundHeldOrder, refund);
  expect(refunded.body.data.payouts.map(({ purpose }) => purpose)).toEqual([
    "payout",
    "excess_refund",
    "excess_refund",
  ]);
  expect(refunded.body.data).toMatchObject({ status: "completed" });
});

test("a treasurer who asked for a refund does not approve it, under another account either", async () => {
  await approveAbove("eur", 0n);
  const orderId = await underpaidOrder();
  const both = await desk.person(["compliance", "treasury"]);
  const params = { orderId };
  const refunded = await both.call(CALLS.refundHeldOrder, { params, payload: REASON });
  expect(refunded.status, refunded.text).toBe(200);
  const payoutId = refunded.body.data.payouts.find(({ purpose }) => purpose === "refund")?.payoutId;
  const options = { params: { payoutId: payoutId ?? "" }, payload: {} };
  expect((await both.call(CALLS.readPayout, options)).body.data.mayApprove).toBe(false);
  const own = await both.call(CALLS.approvePayout, options);
  expect([own.status, own.text.includes("asked for refund")]).toEqual([400, true]);
  const by = operatorNamed(both.email);
  await expect(approvePayout(desk.world.deps, { intentId: payoutId ?? "", by })).rejects.toThrow(
    "asked for refund",
  );
});

test("two people of compliance give an order the refund address that its customer asked for", async () => {
  const orderId = await underpaidOrder({ wanted: ORDERS.sell, units: 5n });
  const params = { orderId };
  const refundAddress = "0xde709f2102306220921060314715629080e2fb77";
  const key = { merchantId: MERCHANT_ID, orderId: BigInt(orderId) };
  await recordRefundAddress(desk.world.deps, { ...key, to: { refundAddress } });
  const [ada, ben, owner] = [
    await desk.person(["compliance"]),
    await desk.person(["compliance"]),
    await desk.person(rolesOf("merchant"), MERCHANT_ID),
  ];
  const storyOf = async (person: typeof ada) =>
    (await person.call(CALLS.readOrderStory, { params })).body.data;
  expect((await storyOf(ada)).actions).toContain("approve_refund_address");
  const approval = { params, payload: { ...REASON, refundAddress } };
  expect((await ada.call(CALLS.approveRefundAddress, approval)).body.data).toMatchObject({
    requestedRefundAddress: refundAddress,
    requestedRefundApprovedBy: [ada.email],
  });
  expect((await storyOf(ada)).actions).not.toContain("approve_refund_address");
  expect((await ada.call(CALLS.approveRefundAddress, approval)).text).toContain("already approved");
  expect((await storyOf(owner)).requestedRefundApprovedBy).toEqual([]);
  expect((await owner.call(CALLS.approveRefundAddress, approval)).status).toBe(403);
  expect((await ben.call(CALLS.approveRefundAddress, approval)).body.data).toMatchObject({
    refundAddress,
    requestedRefundAddress: null,
  });
});

test("a stop holds payouts at once, and its log names the account", async () => {
  const treasury = await desk.person(["treasury"]);
  const payload = { kind: "rail", subject: "chain:bitcoin", reason: "the node is behind" };
  const stopped = await treasury.call(CALLS.stopPayouts, { payload });
  expect(stopped.body.data).toContainEqual(
    expect.objectContaining({ subject: "chain:bitcoin", setBy: treasury.email }),
  );
  const query = { person: treasury.email, action: "stop" };
  expect((await treasury.call(CALLS.listChanges, { query })).body.data[0]).toMatchObject({
    ...{ via: "console", address: "127.0.0.1", reason: "the node is behind" },
  });
  const { kind, subject } = payload;
  const resume = { payload: { kind, subject } };
  expect((await treasury.call(CALLS.resumePayouts, resume)).body.data).toContainEqual(
    expect.objectContaining({ subject: "chain:bitcoin", agreed: [treasury.email] }),
  );
  expect((await treasury.call(CALLS.resumePayouts, resume)).text).toContain("already agreed");
  const other = await desk.person(["treasury"]);
  const resumed = await other.call(CALLS.resumePayouts, resume);
  expect(resumed.body.data.map((stop) => stop.subject)).not.toContain("chain:bitcoin");
});

test("resuming is refused once somebody has stopped for another reason than the person saw", async () => {
  const treasury = await desk.person(["treasury"]);
  const stop = { kind: "network", subject: "bitcoin" } as const;
  const stopFor = (reason: string) =>
    treasury.call(CALLS.stopPayouts, { payload: { ...stop, reason } });
  const resumeFrom = (stopReason: string) =>
    treasury.call(CALLS.resumePayouts, { payload: { ...stop, stopReason } });
  await stopFor("maintenance");
  await stopFor("the hot key may be copied");
  const refused = await resumeFrom("maintenance");
  expect(refused.code).toBe("INVALID_ORDER_STATE");
  expect(refused.text).toContain("for another reason since: the hot key may be copied.");
  const subjectsOf = ({ body }: typeof refused) => body.data.map(({ subject }) => subject);
  expect(subjectsOf(await resumeFrom("the hot key may be copied"))).not.toContain("bitcoin");
});

test("two merchants never meet, whatever their people ask for", async () => {
  const other = await createMerchant(desk.world.deps, {
    ...{ name: "Other", allowedOrigins: [], by: operatorNamed("anna") },
  });
  const orderId = await underpaidOrder();
  const params = { orderId };
  const [ours, theirs] = [
    await desk.person(rolesOf("merchant"), MERCHANT_ID),
    await desk.person(rolesOf("merchant"), other.merchant.id),
  ];
  expect((await ours.call(CALLS.readOrderStory, { params })).status).toBe(200);
  expect((await theirs.call(CALLS.readOrderStory, { params })).status).toBe(404);
  expect((await theirs.call(CALLS.refundHeldOrder, { params, payload: REASON })).status).toBe(404);
  expect((await theirs.call(CALLS.cancelUnpaidOrder, { params, payload: REASON })).status).toBe(
    404,
  );
  const search = { query: { text: String(orderId) } };
  expect((await ours.call(CALLS.searchOrders, search)).body.data).toHaveLength(1);
  expect((await theirs.call(CALLS.searchOrders, search)).body.data).toEqual([]);
  const query = { merchantId: MERCHANT_ID };
  expect((await ours.call(CALLS.listAllOrders, { query })).body.data.length).toBeGreaterThan(0);
  expect((await theirs.call(CALLS.listAllOrders, { query })).body.data).toEqual([]);

  const people = (await theirs.call(CALLS.listPeople)).body.data;
  expect(people.map(({ email }) => email)).toEqual([theirs.email]);
  const [mine] = (await ours.call(CALLS.listPeople)).body.data;
  const personId = mine?.personId ?? "";
  const mineOnly = { params: { personId } };
  expect((await theirs.call(CALLS.endSessionsOfPerson, mineOnly)).status).toBe(404);
  expect((await theirs.call(CALLS.inviteAgain, { ...mineOnly, payload: {} })).status).toBe(404);
  const disable = { params: { personId }, payload: { state: "disabled" } };
  expect((await theirs.call(CALLS.changePerson, disable)).status).toBe(404);
  const foreign = { email: "spy@example.com", name: "Spy", roles: ["merchant_owner"] };
  const payload = { ...foreign, merchantId: MERCHANT_ID };
  expect((await theirs.call(CALLS.invitePerson, { payload })).status).toBe(404);
  const operator = { ...foreign, roles: ["administrator"] };
  expect((await theirs.call(CALLS.invitePerson, { payload: operator })).code).toBe("INVALID_INPUT");
  const log = (await theirs.call(CALLS.listChanges)).body.data;
  expect(log.map(({ person }) => person)).toEqual([theirs.email]);
});

test("a merchant's person reads the story in the merchant's words, without the books of the operator", async () => {
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view);
  const orderId = Number(view.order.id);
  const held = await desk.person(["support"]);
  await desk.world.untilStatus(view, "completed");
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const params = { orderId };
  const theirs = (await owner.call(CALLS.readOrderStory, { params })).body.data;
  const ours = (await held.call(CALLS.readOrderStory, { params })).body.data;
  expect(ours.entries.length).toBeGreaterThan(0);
  expect(theirs).toMatchObject({ entries: [], jobs: [], breaks: [], decisions: [] });
  expect(theirs.customer).not.toBeNull();
  const viewer = await desk.person(["viewer"]);
  expect((await viewer.call(CALLS.readOrderStory, { params })).body.data.customer).toBeNull();
});

test("pages of orders follow each other without a gap, under every filter", async () => {
  for (let count = 0; count < 4; count += 1) await desk.world.order(ORDERS.buyByBank);
  const viewer = await desk.person(["viewer"]);
  const all = (await viewer.call(CALLS.listAllOrders, { query: { limit: 100 } })).body.data;
  const pages = await pagesOf((page) =>
    viewer.call(CALLS.listAllOrders, { query: { limit: 2, ...page } }),
  );
  expect(pages.flat().map(({ orderId }) => orderId)).toEqual(all.map(({ orderId }) => orderId));
  const status = "awaiting_payment";
  for (const query of [
    { status },
    { status, merchantId: MERCHANT_ID },
    { operation: "buy", status },
  ]) {
    const found = (await viewer.call(CALLS.listAllOrders, { query })).body.data;
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(found.every((order) => order.status === status)).toBe(true);
  }
  const forged = { query: { cursor: "YWRtaW5fb3JkZXJzLng" } };
  expect((await viewer.call(CALLS.listAllOrders, forged)).code).toBe("INVALID_INPUT");
});

test("the log of changes and approvals cannot be changed, by anybody", async () => {
  for (const text of [
    "update control_log set person = 'nobody'",
    "delete from control_log",
    "update payout_approvals set person = 'nobody'",
  ]) {
    await expect(desk.world.database.query(unnamedStatement(text))).rejects.toThrow("insert-only");
  }
});

test("nobody raises their own roles, and the last administrator stays", async () => {
  const admin = await desk.person(["administrator"]);
  const list = (await admin.call(CALLS.listPeople)).body.data;
  const self = list.find(({ email }) => email === admin.email)?.personId ?? "";
  const raise = { params: { personId: self }, payload: { roles: ["administrator", "treasury"] } };
  expect((await admin.call(CALLS.changePerson, raise)).code).toBe("PERSON_CONFLICT");
  const invited = await desk.person(["viewer"]);
  const personId = (await admin.call(CALLS.listPeople)).body.data.find(
    ({ email }) => email === invited.email,
  )?.personId;
  const change = (payload: object) =>
    admin.call(CALLS.changePerson, { params: { personId: personId ?? "" }, payload });
  expect((await change({ roles: ["merchant_owner"] })).code).toBe("INVALID_INPUT");
  expect((await change({ roles: ["support"] })).body.data.roles).toEqual(["support"]);
  expect((await invited.call(CALLS.readMe)).body.data.permissions).toContain("customers.read");
  expect((await change({ state: "disabled", reason: "left" })).body.data.state).toBe("disabled");
  expect((await invited.call(CALLS.readMe)).status).toBe(401);
});
