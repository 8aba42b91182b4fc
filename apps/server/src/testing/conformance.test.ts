import { expect, test } from "vitest";
import { NotHere, Tally } from "./conformance.ts";

test("a case that no world ran is named", () => {
  const tally = new Tally(["in both worlds", "in one world", "in none", "in a world that refused"]);
  tally.count("in both worlds", undefined);
  tally.count("in both worlds", undefined);
  tally.count("in one world", new NotHere("it has no mempool"));
  tally.count("in one world", undefined);
  tally.count("in a world that refused", new NotHere("it has no mempool"));
  expect(tally.idle()).toEqual(["in none", "in a world that refused"]);
});

test("without a world every case is named", () => {
  expect(new Tally(["a", "b"]).idle()).toEqual(["a", "b"]);
});
