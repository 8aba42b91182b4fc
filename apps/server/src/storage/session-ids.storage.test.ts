import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../testing/database.ts";
import { type Database, statement } from "./database.ts";

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

test.each(["a", "A-z_0.9:", "x".repeat(128)])("the session id %s is kept", async (sessionId) => {
  expect(await database.query(ADD_SESSION, [sessionId])).toEqual([]);
});

test.each(["", "a b", "ä", "a\n", "x".repeat(129)])(
  "the session id %j is refused by the database",
  async (sessionId) => {
    await expect(database.query(ADD_SESSION, [sessionId])).rejects.toThrow(
      /sessions_session_id_check/,
    );
  },
);
