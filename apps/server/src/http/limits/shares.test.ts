import { expect, test } from "vitest";
import { makeShares } from "./shares.ts";

function makeHeld(totalMax: number) {
  const given: string[] = [];
  const shares = makeShares<string>({ totalMax, giveUp: (thing) => given.push(thing) });
  return { shares, given };
}

test("nothing is given up while there is room", () => {
  const { shares, given } = makeHeld(10);
  shares.add("a", "a1", 6);
  shares.add("b", "b1", 4);
  expect(given).toEqual([]);
});

test("the holder with the most gives up its oldest things until there is room", () => {
  const { shares, given } = makeHeld(10);
  shares.add("a", "a1", 2);
  shares.add("a", "a2", 3);
  shares.add("a", "a3", 4);
  shares.add("b", "b1", 1);
  shares.add("c", "c1", 3);
  expect(given).toEqual(["a1", "a2"]);
});

test("a holder that is alone gives up its own oldest thing", () => {
  const { shares, given } = makeHeld(2);
  for (const thing of ["a1", "a2", "a3", "a4"]) shares.add("a", thing, 1);
  expect(given).toEqual(["a1", "a2"]);
});

test("a thing that ended leaves its room, once", () => {
  const { shares, given } = makeHeld(2);
  shares.add("a", "a1", 2);
  shares.remove("a", "a1");
  shares.remove("a", "a1");
  shares.add("b", "b1", 2);
  expect(given).toEqual([]);
  shares.add("a", "a2", 1);
  expect(given).toEqual(["b1"]);
});

test("a thing larger than the total is given up at once", () => {
  const { shares, given } = makeHeld(2);
  shares.add("a", "a1", 3);
  shares.add("a", "a2", 2);
  expect(given).toEqual(["a1"]);
});

test("a thing in use is given up after the holder's others", () => {
  const given: string[] = [];
  const shares = makeShares<string>({
    totalMax: 2,
    isInUse: (thing) => thing.endsWith("in use"),
    giveUp: (thing) => given.push(thing),
  });
  for (const thing of ["1 in use", "2", "3", "4 in use", "5 in use"]) shares.add("a", thing, 1);
  expect(given).toEqual(["2", "3", "1 in use"]);
});
