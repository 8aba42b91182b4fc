import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import type { Database } from "../postgres/database.ts";
import { linkIdentity, markIdentityUsed } from "./identities.ts";
import { insertPerson, lockPerson } from "./people.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

test("a sign-in at the identity provider returns the person with every fact, the language too", async () => {
  const id = randomUUID();
  const person = { id, email: "ada@example.com", name: "Ada", merchantId: null, roles: ["viewer"] };
  const identity = { issuer: "https://login.example.com", subject: "7", label: "ada" };
  await database.transaction(async (tx) => {
    await insertPerson(tx, { ...person, language: "de" });
    await linkIdentity(tx, id, identity);
    const found = await markIdentityUsed(tx, identity);
    expect(found).toEqual({ ...person, state: "active", language: "de" });
    expect(found).toEqual(await lockPerson(tx, id));
  });
});
