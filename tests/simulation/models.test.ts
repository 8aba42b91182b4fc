import { afterAll, beforeAll, describe, test } from "vitest";
import { makeWorld, type World } from "../../apps/server/src/testing/world.ts";
import { quoteSequences } from "./models/quotes.ts";
import { runSequences } from "./models/sequences.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

describe.concurrent("whatever is done in whatever order", () => {
  test("sessions and quotes do what a small model of them does", () =>
    runSequences(quoteSequences(world)));
});
