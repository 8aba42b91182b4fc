import { ADMIN_ENDPOINTS as CALLS, type ChangeNotice } from "@exchange/contract/admin";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createMerchant } from "../../flows/merchants/create.ts";
import { disableMerchant } from "../../flows/merchants/update.ts";
import { type ConsoleBrowser, makeConsoleWorld, useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { CONSOLE_STREAM_LIMITS } from "../limits/open-streams.ts";

const desk = useConsole(makeOrderWorld);
const UNTIL = { timeout: 60_000 };
const by = operatorNamed("anna");
let address: string;
beforeAll(async () => {
  address = await desk.app.listen({ port: 0, host: "127.0.0.1" });
});

/** A stream that is read as a browser reads it. */
interface Heard {
  readonly status: number;
  readonly headers: Headers;
  /** The topics of each event. */
  readonly events: (readonly string[])[];
  hasEnded: boolean;
  close(): void;
}
const streams: Heard[] = [];
afterAll(() => {
  for (const one of streams) one.close();
});

async function follow({ cookie = "" }: Pick<ConsoleBrowser, "cookie">, at = address) {
  const leave = new AbortController();
  const response = await fetch(`${at}/v1/admin/changes`, {
    headers: { cookie },
    signal: leave.signal,
  });
  const heard: Heard = {
    status: response.status,
    headers: response.headers,
    events: [],
    hasEnded: false,
    close: () => leave.abort(),
  };
  streams.push(heard);
  void read(response, heard).catch(() => {});
  return heard;
}

async function read(response: Response, heard: Heard): Promise<void> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, data] = /^event: changes\ndata: (.*)$/m.exec(text.slice(0, end)) ?? [];
      if (data !== undefined) heard.events.push((JSON.parse(data) as ChangeNotice).topics);
      text = text.slice(end + 2);
    }
  }
  heard.hasEnded = true;
}

/** Opens a stream and returns it after its first event. */
async function following(person: Pick<ConsoleBrowser, "cookie">, at = address) {
  const heard = await follow(person, at);
  await vi.waitFor(() => expect(heard.events.length).toBeGreaterThan(0), UNTIL);
  return heard;
}

/** Returns the topics that were named after the first event. */
const later = ({ events }: Heard): readonly string[] => [...new Set(events.slice(1).flat())];

async function orderInReview() {
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view, { units: 9_000n });
  return Number((await desk.world.untilStatus(view, "in_review")).order.id);
}

async function otherMerchant(): Promise<string> {
  const { merchant } = await createMerchant(desk.deps, { name: "Other", allowedOrigins: [], by });
  return merchant.id;
}

test("the first event names every topic that the roles may read, and a later one an order in review", async () => {
  const heard = await following(await desk.person(["viewer"]));
  expect(heard.headers.get("content-type")).toContain("text/event-stream");
  expect(heard.headers.get("x-accel-buffering")).toBe("no");
  expect(heard.events[0]).toEqual(["orders", "reviews", "payouts", "stops", "breaks", "prices"]);
  const developer = await desk.person(["merchant_developer"], MERCHANT_ID);
  expect((await following(developer)).events[0]).toEqual(["orders", "webhooks"]);
  const orderId = await orderInReview();
  await vi.waitFor(
    () => expect(later(heard)).toEqual(expect.arrayContaining(["orders", "reviews"])),
    UNTIL,
  );
  // A person who takes the order writes no event of it.
  const support = await desk.person(["support"]);
  const quiet = await following(await desk.person(["viewer"]));
  await support.call(CALLS.takeOrder, { params: { orderId } });
  await vi.waitFor(() => expect(later(quiet)).toContain("reviews"), UNTIL);
});

test("stops and webhook endpoints are named to those who may see them", async () => {
  const officer = await desk.person(["treasury"]);
  const developer = await desk.person(["merchant_developer"], MERCHANT_ID);
  const [ours, theirs] = [await following(officer), await following(developer)];
  const stop = { kind: "pair", subject: "eur-btc", reason: "a test" };
  expect((await officer.call(CALLS.stopPayouts, { payload: stop })).status).toBe(200);
  await vi.waitFor(
    () => expect(later(ours)).toEqual(expect.arrayContaining(["stops", "audit"])),
    UNTIL,
  );
  const payload = { url: "https://hooks.example/changes" };
  expect((await developer.call(CALLS.addMerchantWebhook, { payload })).status).toBe(201);
  await vi.waitFor(() => expect(later(theirs)).toEqual(["webhooks"]), UNTIL);
});

test("a merchant's people hear of their merchant alone", async () => {
  const otherId = await otherMerchant();
  const mine = await desk.person(["merchant_owner"], MERCHANT_ID);
  const other = await desk.person(["merchant_owner"], otherId);
  const [heard, heardByOther] = [await following(mine), await following(other)];
  await orderInReview();
  await vi.waitFor(() => expect(later(heard)).toContain("orders"), UNTIL);
  // Events arrive in order, so a leaked one would be there before the other merchant's own.
  const payload = { add: ["https://shop.other.example"] };
  expect((await other.call(CALLS.changeOrigins, { payload })).status).toBe(200);
  await vi.waitFor(() => expect(later(heardByOther)).toContain("audit"), UNTIL);
  expect(later(heardByOther)).toEqual(["audit"]);
  const before = heard.events.length;
  await orderInReview();
  await vi.waitFor(() => expect(heard.events.length).toBeGreaterThan(before), UNTIL);
  expect(later(heard)).not.toContain("audit");
});

test.each([
  ["signs out", (one: ConsoleBrowser) => one.call(CALLS.signOut)],
  [
    "is disabled",
    async ({ email }: ConsoleBrowser) => {
      const admin = await desk.person(["administrator"]);
      const [row] = await desk.query<{ id: string }>("select id from people where email = $1", [
        email,
      ]);
      const params = { personId: row?.id ?? "" };
      await admin.call(CALLS.changePerson, { params, payload: { state: "disabled" } });
    },
  ],
  [
    "has made no request for half an hour",
    ({ email }: ConsoleBrowser) =>
      desk.query(
        `update person_sessions set last_seen_at = clock_timestamp() - interval '31 minutes'
         where person_id = (select id from people where email = $1)`,
        [email],
      ),
  ],
])("the stream of a person who %s ends", async (_name, shutOut) => {
  const person = await desk.person(["viewer"]);
  const heard = await following(person);
  const stays = await following(await desk.person(["viewer"]));
  await shutOut(person);
  await vi.waitFor(() => expect(heard.hasEnded).toBe(true), UNTIL);
  expect(stays.hasEnded).toBe(false);
  expect((await follow(person)).status).toBe(401);
});

test("the streams of a disabled merchant's people end", async () => {
  const merchantId = await otherMerchant();
  const heard = await following(await desk.person(["merchant_viewer"], merchantId));
  await disableMerchant(desk.deps, { merchantId, reason: "a test", by });
  await vi.waitFor(() => expect(heard.hasEnded).toBe(true), UNTIL);
});

test("an account has a bounded number of streams, and keeps those it has", async () => {
  const person = await desk.person(["viewer"]);
  const open: Heard[] = [];
  for (let n = 0; n < CONSOLE_STREAM_LIMITS.ofHolderMax; n += 1) open.push(await following(person));
  expect((await follow(person)).status).toBe(429);
  expect((await follow(await desk.person(["viewer"]))).status).toBe(200);
  expect(open.some(({ hasEnded }) => hasEnded)).toBe(false);
  open[0]?.close();
  await vi.waitFor(async () => expect((await follow(person)).status).toBe(200), UNTIL);
});

test("one look with three statements serves every stream", async () => {
  const people = await Promise.all([1, 2, 3].map(() => desk.person(["viewer"])));
  await Promise.all(people.map((one) => following(one)));
  const query = vi.spyOn(desk.world.database, "query");
  const namesOf = () => query.mock.calls.map(([{ name }]) => name);
  const looksOf = () => namesOf().filter((name) => name === "person_sessions_list_open").length;
  await vi.waitFor(() => expect(looksOf()).toBeGreaterThan(3), UNTIL);
  const looks = looksOf();
  for (const name of ["changes_moved", "changes_stamps"]) {
    const count = namesOf().filter((one) => one === name).length;
    expect(Math.abs(count - looks)).toBeLessThanOrEqual(1);
  }
  const sessions = query.mock.calls
    .filter(([{ name }]) => name === "person_sessions_list_open")
    .map(([, values]) => values?.[0] as readonly string[]);
  expect(sessions.at(-1)?.length).toBeGreaterThanOrEqual(people.length);
  query.mockRestore();
});

test("a closing console ends its streams", async () => {
  const closing = makeConsoleWorld(desk.world.deps);
  const at = await closing.app.listen({ port: 0, host: "127.0.0.1" });
  const heard = await following(await desk.person(["viewer"]), at);
  await closing.close();
  await vi.waitFor(() => expect(heard.hasEnded).toBe(true), UNTIL);
});
