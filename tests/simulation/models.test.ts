import { afterAll, beforeAll, describe, test } from "vitest";
import { makeWorld, type World } from "../../apps/server/src/testing/world.ts";
import { ledgerSequences } from "./models/ledger.ts";
import { orderSequences } from "./models/orders.ts";
import { quoteSequences } from "./models/quotes.ts";
import { runSequences } from "./models/sequences.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

/** The three share one processor. */
describe.concurrent("random commands in any order", { timeout: 900_000 }, () => {
  test("sessions and quotes do what a small model of them does", () =>
    runSequences(quoteSequences(world)));

  test("an order, its timeline and its events do what the state table says", () =>
    runSequences(orderSequences(world)));

  test("the ledger does what a map of whole numbers does", () =>
    runSequences(ledgerSequences(world)));
});
