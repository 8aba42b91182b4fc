import { expect, test } from "vitest";
import { makeBatcher } from "./batches.ts";

/** Runs that end when the test says so. */
function makeStage(batchesInFlightMax = 1) {
  const runs: { readonly items: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const submit = makeBatcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) =>
          error ? reject(error) : resolve(items.map((item) => `${item} done`));
        runs.push({ items, end });
      }),
    keyOf: (item) => item.charAt(0),
    batchesInFlightMax,
    itemsMax: 3,
  });
  return { runs, submit };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("an idle database is asked at once, and what comes meanwhile goes together", async () => {
  const { runs, submit } = makeStage();
  const results = [submit("a"), submit("b"), submit("c")];
  expect(runs.map(({ items }) => items)).toEqual([["a"]]);
  runs[0]?.end();
  await settle();
  expect(runs[1]?.items).toEqual(["b", "c"]);
  runs[1]?.end();
  expect(await Promise.all(results)).toEqual(["a done", "b done", "c done"]);
});

test("no more batches are under way, and no more items in one, than allowed", async () => {
  const { runs, submit } = makeStage(2);
  for (const item of ["a", "b", "c", "d", "e", "f"]) void submit(item);
  expect(runs).toHaveLength(2);
  runs[0]?.end();
  await settle();
  expect(runs[2]?.items).toEqual(["c", "d", "e"]);
});

test("two items of one key go in different batches, in the order they came", async () => {
  const { runs, submit } = makeStage();
  for (const item of ["x", "a1", "a2", "b"]) void submit(item);
  runs[0]?.end();
  await settle();
  expect(runs[1]?.items).toEqual(["a1", "b"]);
  runs[1]?.end();
  await settle();
  expect(runs[2]?.items).toEqual(["a2"]);
});

test("one bad item fails alone", async () => {
  const { runs, submit } = makeStage();
  const first = submit("x");
  const results = [submit("a"), submit("b")];
  runs[0]?.end();
  await first;
  await settle();
  runs[1]?.end(new Error("bad row"));
  await settle();
  expect(runs.slice(2).map(({ items }) => items)).toEqual([["a"], ["b"]]);
  runs[2]?.end(new Error("bad row"));
  runs[3]?.end();
  const settled = await Promise.allSettled(results);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
