import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  type Database,
  openDatabase,
  type Statement,
  statement,
} from "../../storage/postgres/database.ts";
import { makeDatabase } from "../../testing/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { IN_FLIGHT_LIMITS } from "./in-flight.ts";

/** Waits for a lock as long as the test holds it, on a connection of the same pool. */
const patient = (database: Database): Database => ({
  ...database,
  query: <Row>(sql: Statement, values?: readonly unknown[]) =>
    sql.isLookup === true
      ? database.query<Row>(sql, values)
      : database.transaction(async (tx) => {
          await tx.runScript("set local lock_timeout = 0; set local statement_timeout = 0");
          return tx.query<Row>(sql, values);
        }),
});

let world: HttpWorld;
let other: Database;
beforeAll(async () => {
  const database = await makeDatabase();
  const inFlight = { ...IN_FLIGHT_LIMITS, deadlineMs: 300_000 };
  world = await makeHttpWorld({
    database,
    deps: { database: patient(database) },
    settings: { inFlight },
  });
  const [row] = await world.database.query<{ name: string }>(
    statement("scan_database", "select current_database() as name"),
  );
  other = openDatabase({ ...inject("storageServer"), database: String(row?.name), poolSize: 1 });
});
afterAll(async () => {
  await other.close();
  await world.close();
});

/** Makes every statement on orders as slow as this work. */
const whileOrdersAreSlow = (work: () => Promise<void>): Promise<void> =>
  other.transaction(async (tx) => {
    await tx.runScript("lock table orders in access exclusive mode");
    await work();
  });

test("a merchant whose lists are slow leaves connections to others, and its excess is refused", async () => {
  const { headers } = await world.addShop();
  let answered: Promise<number[]> | undefined;
  await whileOrdersAreSlow(async () => {
    const lists = Array.from({ length: 24 }, () => world.call({ url: "/v1/orders", headers }));
    const statuses: number[] = [];
    const refused = Promise.all(
      lists.map(async (list) => {
        const reply = await list;
        statuses.push(reply.status);
        if (reply.status === 429) expect(reply.headers["retry-after"]).toBeDefined();
      }),
    );
    answered = refused.then(() => statuses);
    // No list frees a connection before this work ends.
    await expect.poll(async () => (await world.call({ url: "/readyz" })).status).toBe(200);
    expect((await world.call({ url: "/v1/events", headers: world.shop.headers })).status).toBe(200);
    while (statuses.length < 21) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(statuses).toEqual(Array.from({ length: 21 }, () => 429));
  });
  // A quarter of fifteen connections.
  expect((await answered)?.filter((status) => status === 200)).toHaveLength(3);
});
