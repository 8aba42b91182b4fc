import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeDatabase } from "../../testing/database.ts";
import { plainSession } from "../../testing/sessions.ts";
import { type Database, statement } from "../postgres/database.ts";
import { findSession, openSessions } from "./sessions.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  await database.query(
    statement("add_merchant", "insert into merchants (id, name) values ('client_dev_A', 'Shop')"),
  );
});
afterAll(() => database.close());

const ADD_SESSION = statement(
  "add_session",
  `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope)
   values ('client_dev_A', $1, gen_random_uuid(), now(), '{}')`,
);

test.each(["a", "A-z_0.9:", "a b/ä😀", "x".repeat(255), "😀".repeat(255)])(
  "the session id %s is accepted",
  async (sessionId) => {
    expect(await database.query(ADD_SESSION, [sessionId])).toEqual([]);
  },
);

test.each(["", "a\n", "\u0001", "\u001f", "a\u007f", "a\u009f", "x".repeat(256)])(
  "the session id %j is refused by the database",
  async (sessionId) => {
    await expect(database.query(ADD_SESSION, [sessionId])).rejects.toThrow(
      /sessions_session_id_check/,
    );
  },
);

test("a session of a merchant that does not exist is refused with its whole batch", async () => {
  const wanted = [
    plainSession("client_dev_A", "with-nobody"),
    plainSession("client_dev_B", "nobody"),
  ];
  await expect(openSessions(database, wanted)).rejects.toMatchObject({ code: "23502" });
  expect(await findSession(database, found(wanted[0]))).toBeUndefined();
});

test("a merchant that has a key cannot be deleted, so its sessions keep their merchant", async () => {
  await database.query(
    statement(
      "add_key",
      `insert into api_keys (id, merchant_id, digest, slot, scopes)
       values ('abc', 'client_dev_A', sha256('a'), 1, '{read}')`,
    ),
  );
  const remove = statement("delete_merchant", "delete from merchants where id = 'client_dev_A'");
  await expect(database.query(remove)).rejects.toMatchObject({ code: "23503" });
});
