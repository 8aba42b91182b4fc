import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sealSession } from "../flows/customers/personal-data.ts";
import { recordRefundAddress } from "../flows/orders/record-refund-address.ts";
import type { LoggedControlChange } from "../storage/audit/control-log.ts";
import { statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { plainSession } from "../testing/sessions.ts";
import { MERCHANT_ID } from "../testing/world.ts";
import { COMMANDS } from "./main.ts";

let world: OrderWorld;
let line: CommandLine;
let run: CommandLine["run"];
let runJson: CommandLine["runJson"];

beforeAll(async () => {
  world = await makeOrderWorld();
  line = await openCommandLine(world.database);
  line.variables["SUDO_USER"] = "carla";
  ({ run, runJson } = line);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

const as = ["--as", "anna"];
const raw = (text: string) => world.database.query(statement(text.slice(0, 60), text));
const readLog = (limit: number) =>
  runJson<LoggedControlChange[]>("payouts", "log", "--limit", String(limit));
/** The names of the commands that these tests ran. */
const covered = new Set<string>();

/** Runs a command and returns the one row that it added to the log. */
async function change(name: string, ...words: string[]): Promise<LoggedControlChange> {
  covered.add(name);
  const before = await readLog(1000);
  await runJson(...name.split(" "), ...words, ...as);
  const after = await readLog(1000);
  expect(after.length, name).toBe(before.length + 1);
  const [added] = after;
  if (!added) throw new Error("the log is empty");
  expect(added).toMatchObject({
    person: "anna",
    systemUser: userInfo().username,
    sudoUser: "carla",
    account: "anna",
  });
  return added;
}

const order = async (wanted = ORDERS.buyByBank) => String((await world.order(wanted)).order.id);

test("commands about merchants and keys leave the state before and after", async () => {
  const client = ["--client", MERCHANT_ID];
  covered.add("merchant create");
  const made = await runJson<{ clientId: string; keyId: string; apiKey: string }>(
    ...["merchant", "create", "--name", "New", "--origin", "https://new.example", ...as],
  );
  const [key, merchant] = await readLog(2);
  expect(merchant).toMatchObject({
    action: "create_merchant",
    subject: made.clientId,
    before: null,
    after: { name: "New", allowedOrigins: ["https://new.example"] },
  });
  expect(key).toMatchObject({ action: "create_key", subject: made.keyId });
  expect(JSON.stringify([key, merchant])).not.toContain(made.apiKey.slice(-40));

  const settings = [
    "--add-origin",
    "https://b.example",
    "--base-amount",
    "75",
    "--color",
    "#1A6CFF",
  ];
  expect(await change("merchant update", ...client, ...settings)).toMatchObject({
    action: "update_merchant",
    before: { allowedOrigins: ["https://shop.example"] },
    after: {
      allowedOrigins: ["https://shop.example", "https://b.example"],
      defaults: { baseCurrency: "eur", targetCurrency: "btc", baseAmount: "75" },
      primaryColor: "#1a6cff",
    },
  });
  expect(await change("merchant disable", ...client, "--reason", "hacked")).toMatchObject({
    action: "disable_merchant",
    details: { reason: "hacked" },
    before: { disabledAt: null },
    after: { disabledAt: expect.any(String) },
  });
  expect(await change("merchant enable", ...client)).toMatchObject({ after: { disabledAt: null } });
  const limits = ["--scope", "read", "--network", "10.0.0.1/8"];
  const created = await change("key create", ...client, ...limits);
  expect(created).toMatchObject({
    details: { client: MERCHANT_ID },
    after: { scopes: ["read"], networks: ["10.0.0.0/8"], expiresAt: null },
  });
  covered.add("key roll");
  const rolled = await runJson<{ keyId: string; apiKey: string; networks: string[] }>(
    ...["key", "roll", ...client, "--key", created.subject, "--overlap", "0", ...as],
  );
  expect(rolled).toMatchObject({ clientId: MERCHANT_ID, networks: ["10.0.0.0/8"] });
  const [roll, replacement] = await readLog(2);
  expect(roll).toMatchObject({
    action: "roll_key",
    subject: created.subject,
    details: { client: MERCHANT_ID, newKey: rolled.keyId },
    before: { scopes: ["read"], networks: ["10.0.0.0/8"] },
    after: null,
  });
  expect(replacement).toMatchObject({ action: "create_key", subject: rolled.keyId });
  expect(JSON.stringify([roll, replacement])).not.toContain(rolled.apiKey.slice(-40));
  expect(await change("key revoke", ...client, "--key", rolled.keyId)).toMatchObject({
    action: "revoke_key",
    before: { scopes: ["read"] },
    after: null,
  });
});

test("commands about webhooks and sessions leave the state before and after", async () => {
  const client = ["--client", MERCHANT_ID];
  const added = await change("webhook add", ...client, "--url", "https://shop.example/hook");
  expect(JSON.stringify(added)).not.toContain("whsec_");
  const endpoint = [...client, "--id", added.subject];
  expect(await change("webhook disable", ...endpoint)).toMatchObject({
    before: { state: "active" },
    after: { state: "disabled", disabledReason: "operator" },
  });
  expect(await change("webhook enable", ...endpoint)).toMatchObject({ after: { state: "active" } });
  expect(await change("webhook remove", ...endpoint)).toMatchObject({ after: null });
  const { sessionId, tokenJti } = await world.openSession();
  expect(await change("session revoke", ...client, "--session", sessionId)).toMatchObject({
    action: "revoke_session_token",
    subject: sessionId,
    before: { tokenJti },
  });
  expect((await run("session", "revoke", ...client, "--session", "none", ...as)).status).toBe(1);
});

test("commands about orders and payouts leave the state before and after", async () => {
  const id = await order();
  const hold = await change("orders hold", "--order", id, "--reason", "limit_exceeded");
  expect(hold).toMatchObject({
    before: { status: "awaiting_payment" },
    after: { status: "in_review", statusReason: "limit_exceeded" },
  });
  await change("orders release", "--order", id);
  expect(await change("orders cancel", "--order", id)).toMatchObject({
    before: { status: "awaiting_payment" },
    after: { status: "cancelled", statusReason: "operator_cancelled" },
  });
  const text = "the bank confirmed it\nby telephone";
  expect(await change("orders note", id, text)).toMatchObject({
    action: "note_order",
    subject: id,
    details: { note: text },
  });
  const explained = (await run("orders", "explain", id)).out;
  expect(explained).toContain("anna: the bank confirmed it by telephone");
  expect(await run("orders", "note", id, "x", "--text", "y")).toMatchObject({
    status: 2,
    errors: expect.stringContaining("Write the text once"),
  });
  expect(await change("orders revoke-link", "--order", id)).toMatchObject({
    before: { page: "open" },
    after: { page: "revoked" },
  });
  const underpaid = await world.order(ORDERS.buyByBank);
  await world.pay(underpaid, { units: 5_000n });
  await world.untilStatus(underpaid, "in_review");
  const refund = ["--order", String(underpaid.order.id), "--amount", "50"];
  expect(await change("orders refund", ...refund)).toMatchObject({
    details: { amount: "50" },
    after: { status: "refund_pending" },
  });
  await change("payouts limits", "--currency", "btc", "--approval-above", "0");
  const held = await world.order(ORDERS.buyByBank);
  await world.pay(held);
  const { payout } = await world.untilStatus(held, "in_review");
  expect(await change("payouts approve", "--payout", payout?.id ?? "")).toMatchObject({
    before: { approvedBy: [] },
    after: { approvedBy: ["anna"] },
  });
  expect(await change("payouts limits", "--currency", "btc", "--remove")).toMatchObject({
    before: { approvalAbove: "0.00 EUR" },
    after: null,
  });
  await change("payouts stop", "--pair", "eur-btc", "--reason", "a test");
  expect(await change("payouts resume", "--pair", "eur-btc")).toMatchObject({ after: null });
  expect(await change("liquidity set", "--currency", "btc", "--debt", "2.5")).toMatchObject({
    before: null,
    after: { debt: "2.5" },
  });
  await change("treasury set", "--currency", "btc", "--floor", "2");
  expect(await change("treasury set", "--currency", "btc", "--floor", "none")).toMatchObject({
    before: { floor: "2", low: null },
    after: null,
  });
  await change("liquidity set", "--currency", "btc", "--debt", "none");
  const { out } = await run("payouts", "log", "--limit", "1");
  expect(out).toContain(`anna as ${userInfo().username}, by sudo from carla`);
  expect(out).toContain("debt 2.5 → none");
});

test("the approval of another refund address is logged with the masked address", async () => {
  const sold = await world.order(ORDERS.sell);
  await world.pay(sold, { units: 5n });
  const { order: held } = await world.untilStatus(sold, "in_review");
  const key = { merchantId: MERCHANT_ID, orderId: held.id };
  const refundAddress = "0xde709f2102306220921060314715629080e2fb77";
  await recordRefundAddress(world.deps, { ...key, to: { refundAddress } });
  const approval = ["--order", String(held.id), "--address", refundAddress];
  expect(await change("orders approve-address", ...approval)).toMatchObject({
    action: "approve_refund_address",
    subject: String(held.id),
    details: { address: "0xde70…fb77", memo: null },
    before: { approvedBy: [] },
    after: { approvedBy: ["anna"] },
  });
  expect((await run("orders", "approve-address", ...approval, ...as)).status).toBe(1);
});

test("an export and an erasure of a customer are logged without the customer", async () => {
  const personal = { merchantId: MERCHANT_ID, sessionId: "m10" };
  const customer = { email: "ada@a.example" };
  const person = { customer, metadata: {}, returnUrl: null };
  const { newKey, ...sealed } = sealSession(world.deps, personal, person);
  await world.deps.openSession({ ...plainSession(MERCHANT_ID, "m10"), ...sealed, newKey });
  const ada = ["--merchant", MERCHANT_ID, "--email", "Ada@A.example"];
  const exported = await change("customers export", ...ada);
  expect(exported).toMatchObject({ action: "export_customer", after: { sessions: 1 } });
  const erased = await change("customers erase", ...ada);
  expect(erased).toMatchObject({ action: "erase_customer", subject: MERCHANT_ID });
  expect(JSON.stringify([exported, erased]).toLowerCase()).not.toContain("ada@");
});

test("coins of our own are booked once as capital of the house, in both directions", async () => {
  const [into, from] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const float = ["--currency", "btc", "--transaction"];
  expect(await change("ledger float", ...float, into, "--amount", "1.5")).toMatchObject({
    action: "book_float",
    subject: `bitcoin ${into}`,
    after: { currency: "btc", amount: "1.5", direction: "in" },
  });
  await change("ledger float", ...float, `${from}:1`, "--amount", "0.25", "--out");
  const capital = `select sum(posting.units)::text as units from ledger_postings posting
    join ledger_accounts account on account.id = posting.account_id
    where account.merchant_id = 'house' and account.purpose = 'house_capital'`;
  expect(await raw(capital)).toEqual([{ units: "-125000000" }]);
  for (const [words, message] of [
    [[...float, into, "--amount", "1"], "was booked before"],
    [[...float, into, "--amount", "0"], "above zero"],
    [[...float, into, "--amount", "none"], "--amount"],
    [[...float, "'; drop", "--amount", "1"], "is not a transaction"],
    [[...float, into, "--amount", "0.000000001"], "8 decimals"],
    [["--currency", "eur", "--transaction", into, "--amount", "1"], "no coin"],
  ] as const) {
    const { status, errors } = await run("ledger", "float", ...words, ...as);
    expect([status > 0, errors]).toEqual([true, expect.stringContaining(message)]);
  }
});

test("an invitation whose link would lead nowhere is refused, and nobody is invited", async () => {
  line.variables["EXCHANGE_CONSOLE_PORT"] = "0";
  const person = ["--email", "nowhere@example.com", "--role", "viewer"];
  const refused = await line.run("people", "invite", ...person);
  delete line.variables["EXCHANGE_CONSOLE_PORT"];
  expect(refused).toMatchObject({ status: 2 });
  expect(refused.errors).toContain("EXCHANGE_CONSOLE_URL is not set");
  expect((await line.run("people", "list")).out).not.toContain("nowhere@example.com");
});

test("commands about people leave the state before and after", async () => {
  const person = ["--email", "ada@example.com"];
  const roles = ["--role", "viewer", "--role", "treasury"];
  const invited = await change("people invite", ...person, ...roles);
  expect(invited).toMatchObject({
    action: "invite_person",
    after: { roles: ["viewer", "treasury"] },
  });
  const again = await change("people invite", ...person, "--role", "viewer");
  expect(again).toMatchObject({ subject: "ada@example.com", details: { again: "invited" } });
  expect(await change("people disable", ...person)).toMatchObject({
    ...{ action: "change_person", before: { state: "invited" }, after: { state: "disabled" } },
  });
});

test("commands about service accounts are logged without the key", async () => {
  covered.add("service-accounts create");
  const made = await runJson<{ id: string; key: string }>(
    ...["service-accounts", "create", "nightly", "--role", "viewer", "--days", "30", ...as],
  );
  const [created] = await readLog(1);
  expect(created).toMatchObject({
    ...{ person: "anna", action: "create_service_account", subject: made.id, before: null },
    after: { name: "nightly", role: "viewer", expiresAt: expect.any(String) },
  });
  expect(JSON.stringify(created)).not.toContain(made.key.slice(-40));
  const listed = await runJson<object[]>("service-accounts", "list");
  expect(listed).toMatchObject([{ id: made.id, state: "active", createdBy: "anna" }]);
  expect(JSON.stringify(listed)).not.toContain(made.key.slice(-40));
  expect(await change("service-accounts revoke", made.id)).toMatchObject({
    ...{ action: "revoke_service_account", subject: made.id, after: null },
  });
  for (const [words, sentence] of [
    [["x", "--role", "viewer", "--days", "367"], "--days must be a number from 1 to 366"],
    [["x", "--role", "merchant_viewer"], "Choose a role of the operator"],
    [["Big", "--role", "viewer"], "lower-case letters"],
  ] as const) {
    const { status, errors } = await run("service-accounts", "create", ...words, ...as);
    expect([status > 0, errors]).toEqual([true, expect.stringContaining(sentence)]);
  }
  const taken = await run("service-accounts", "revoke", made.id, "--as", "service-account.x");
  expect(taken.errors).toContain("does not begin with service-account.");
});

test("commands about prices leave the state before and after", async () => {
  const figures = ["card-buy", "--fee", "250", "--reason", "cheaper"];
  const { id } = await proposedByBen(figures);
  expect(await change("prices approve", id)).toMatchObject({ action: "approve_price" });
  const next = await proposedByBen(["swap", "--fee", "10", "--reason", "cheaper"]);
  const rejected = await change("prices reject", next.id, "--reason", "too cheap");
  expect(rejected).toMatchObject({ action: "reject_price" });
  expect(await change("prices undo", id, "--reason", "an error")).toMatchObject({ after: {} });
  const own = await change("prices propose", "swap", "--fee", "20", "--reason", "cheaper");
  expect(own).toMatchObject({ action: "propose_price" });
});

async function proposedByBen(words: readonly string[]): Promise<{ readonly id: string }> {
  const { id } = await runJson<{ id: number }>("prices", "propose", ...words, "--as", "ben");
  return { id: String(id) };
}

test("secrets that are encrypted again are logged", async () => {
  expect(await change("secrets rewrap")).toMatchObject({ action: "rewrap_secrets" });
});

test("a moved clock is logged", async () => {
  const row = await change("clock advance", "--seconds", "1", ...as);
  expect(row).toMatchObject({ action: "advance_clock", after: { aheadSeconds: 1 } });
});

test("these tests cover every command that takes --as, and the others change nothing of the operator's", () => {
  const named = COMMANDS.filter(({ options }) => options["as"]).map(({ name }) => name);
  // The tests of reconciliation, live chains, mismatches, secret keys and restores look at their rows of the log.
  const elsewhere = [
    ...["payouts reconcile", "chains accept", "payouts resolve", "secrets forget"],
    "database restored",
  ];
  expect(named.toSorted()).toEqual([...covered, ...elsewhere].toSorted());
  const others = COMMANDS.filter(({ options }) => !options["as"]).map(({ name }) => name);
  // A migration has a log of its own, and PostgreSQL shows its grants. A merchant's commands call the API
  // with the merchant's key.
  const changing = [
    ...["migrate", "database grants", "listen", "trigger", "deliveries replay"],
    // A copy has the log that its database had. The service that `serve` runs records what it does.
    ...["drill place-order", "backup", "restore", "move", "serve"],
    // It buys as a customer does, in a sandbox only.
    "demo seed",
    // The log names the service account that calls.
    "api",
  ];
  const reading =
    /(list|^health|^completion|first-payout|^migrate status|^migrate plan|find|^status|show|history|tail|verify|stops|log|explain|balances|fees|rates|payouts|check|breaks|doctor|release-text|statement|descriptors|preview|days)$/;
  // The signer's commands open no database, and its own log holds each of its signatures.
  const opening = others.filter((name) => !name.startsWith("signer "));
  expect(opening.filter((name) => !reading.test(name)).toSorted()).toEqual(changing.toSorted());
});

test("a command whose row of the log cannot be written changes nothing", async () => {
  const id = await order();
  const client = ["--client", MERCHANT_ID];
  const keys = async () => (await raw("select count(*)::int as n from api_keys"))[0];
  const before = await keys();
  await raw(`create function refuse_log() returns trigger language plpgsql as $$
    begin raise exception 'the log is full'; end $$`);
  await raw(
    "create trigger control_log_full before insert on control_log for each row execute function refuse_log()",
  );
  const refused = [
    await run("orders", "hold", "--order", id, "--reason", "limit_exceeded", ...as),
    await run("orders", "cancel", "--order", id, ...as),
    await run("key", "create", ...client, ...as),
    await run("merchant", "disable", ...client, "--reason", "x", ...as),
    await run("payouts", "stop", "--all", "--reason", "x", ...as),
  ];
  await raw("drop trigger control_log_full on control_log");
  expect(refused.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1]);
  expect(await keys()).toEqual(before);
  expect(await runJson("orders", "show", "--order", id)).toMatchObject({
    status: "awaiting_payment",
    timeline: [{ status: "awaiting_payment" }],
  });
  expect(await runJson("merchant", "show", ...client)).toMatchObject({ disabledAt: null });
  expect((await run("payouts", "stops")).out).toBe("Nothing is stopped.");
});

test.each([
  ["not an origin", "--add-origin", "https://shop.example/cart"],
  ["not an origin of this merchant", "--remove-origin", "https://other.example"],
  ["not a country code", "--country", "de"],
  ["has no country", "--country", "ZZ"],
  ["has no currency", "--base-currency", "nope"],
  ["at most 2 decimals", "--base-currency", "EUR", "--base-amount", "1.234"],
  ["not a colour", "--color", "red"],
  ["The lifetime of a token must be 60 to 86400", "--token-lifetime", "59"],
  ["1 to 200 characters", "--name", " "],
])("merchant update refuses a wrong value and says why: %s", async (why, ...words) => {
  const refused = await run("merchant", "update", "--client", MERCHANT_ID, ...words, ...as);
  expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining(why) });
});

test.each([
  ["Name a setting", "merchant", "update", MERCHANT_ID],
  [".png, .jpg, .webp or .svg", "merchant", "update", MERCHANT_ID, "--logo", "logo.exe"],
  ["cannot be read", "merchant", "update", MERCHANT_ID, "--logo", "/nowhere/logo.png"],
  ["a number of seconds", "merchant", "update", MERCHANT_ID, "--token-lifetime", "1h"],
  ["--expires must be a time", "key", "create", "--client", MERCHANT_ID, "--expires", "soon"],
  ["--reason is missing", "merchant", "disable", MERCHANT_ID],
])("wrong usage says %s", async (why, ...words) => {
  expect(await run(...words)).toMatchObject({ status: 2, errors: expect.stringContaining(why) });
});
