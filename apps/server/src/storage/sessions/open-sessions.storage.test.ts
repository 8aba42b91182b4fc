import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { plainSession } from "../../testing/sessions.ts";
import { type Database, statement } from "../postgres/database.ts";
import { findSession, type NewSession, openSessions } from "./sessions.ts";

const MERCHANT = "client_dev_A";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  const add = "insert into merchants (id, name) values ($1, 'Shop')";
  await database.query(statement("add_merchant", add), [MERCHANT]);
});
afterAll(() => database.close());

/** Text that JSON, arrays and quoting treat differently. */
const text = fc.oneof(
  fc.constantFrom("", "null", "NULL", "{}", '"', "\\", "a,b", "{a}", "'", "\n", "ü€😀"),
  fc.string().map((value) => value.replaceAll("\0", "")),
);
const bytes = (length: { readonly minLength: number; readonly maxLength: number }) =>
  fc.uint8Array(length).map((value) => Buffer.from(value));
const digest = bytes({ minLength: 16, maxLength: 16 });
const terms = fc.record({
  scope: fc.array(fc.oneof(text, fc.constantFrom("order.create", "wallet.write")), {
    maxLength: 3,
  }),
  lock: fc.record({ spendCurrency: text, spendAmount: text }, { requiredKeys: [] }),
  personal: fc.option(bytes({ minLength: 1, maxLength: 40 })),
  newKey: fc.option(
    fc.record({
      sealed: bytes({ minLength: 1, maxLength: 40 }),
      referenceDigest: fc.option(digest),
      emailDigest: fc.option(digest),
    }),
    { nil: undefined },
  ),
  locale: fc.option(text),
  tokenExpiresAt: fc.date({
    min: new Date("2000-01-01T00:00:00Z"),
    max: new Date("2100-01-01T00:00:00Z"),
    noInvalidDate: true,
  }),
});

const shown = async (session: NewSession) => {
  const { sessionId, createdAt, ...rest } =
    (await findSession(database, session)) ?? expect.fail("it is not there");
  expect(sessionId).toBe(session.sessionId);
  expect(createdAt).toBeInstanceOf(Date);
  return rest;
};

test("sessions that are opened together are stored exactly like sessions that are opened alone", async () => {
  const wanted = fc
    .sample(terms, 300)
    .map((own, index) => ({ ...plainSession(MERCHANT, `alone-${index}`), ...own }));
  const together = wanted.map((one, index) => ({ ...one, sessionId: `together-${index}` }));
  expect(await openSessions(database, together)).toEqual(wanted.map(() => true));
  for (const [index, one] of wanted.entries()) {
    expect(await openSessions(database, [one])).toEqual([true]);
    const { sessionId: _, newKey, ...given } = one;
    const storedSession = {
      ...given,
      dataKey: newKey?.sealed ?? null,
      status: "active",
      orderId: null,
    };
    expect(await shown(one)).toEqual(storedSession);
    expect(await shown(together[index] as NewSession)).toEqual(storedSession);
  }
});

const USE_UP = statement(
  "use_up_of_test",
  "update sessions set status = 'expired', order_id = 1 where session_id = $1",
);

const NEW_KEY = { sealed: Buffer.of(1, 2), referenceDigest: null, emailDigest: null };

test.each([
  ["plain", {}],
  ["with terms", { locale: "de", personal: Buffer.of(7), newKey: NEW_KEY }],
])(
  "a session opened alone, %s, gets each newer token until it has its order",
  async (name, own) => {
    const open = (): NewSession => ({
      ...plainSession(MERCHANT, `again ${name}`.replaceAll(" ", "-")),
      ...own,
    });
    const [first, second, late] = [open(), open(), open()];
    expect(await openSessions(database, [{ ...first, locale: "fr" }])).toEqual([true]);
    expect(await openSessions(database, [second])).toEqual([true]);
    const { sessionId, newKey, ...rest } = second;
    const wanted = { ...rest, dataKey: newKey?.sealed ?? null };
    expect(await shown(first)).toEqual({ ...wanted, status: "active", orderId: null });
    await database.query(USE_UP, [sessionId]);
    expect(await openSessions(database, [late])).toEqual([false]);
    expect(await shown(first)).toMatchObject({ tokenJti: second.tokenJti, status: "expired" });
  },
);

test("opening sessions together returns false only for the one that has its order", async () => {
  const names = ["c", "a", "used", "b"];
  const first = names.map((name) => plainSession(MERCHANT, name));
  await openSessions(database, first);
  await database.query(USE_UP, ["used"]);
  const again = names.map((name) => ({ ...plainSession(MERCHANT, name), locale: "de" }));
  expect(await openSessions(database, again)).toEqual([true, true, false, true]);
  const found = await Promise.all(again.map((one) => findSession(database, one)));
  expect(found.map((one) => one?.tokenJti)).toEqual([
    again[0]?.tokenJti,
    again[1]?.tokenJti,
    first[2]?.tokenJti,
    again[3]?.tokenJti,
  ]);
  expect(found.map((one) => one?.locale)).toEqual(["de", "de", null, "de"]);
});
