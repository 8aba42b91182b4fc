import { expect, test } from "vitest";
import { makeBatcher } from "./batches.ts";

/** Runs that end when the test says so. */
function makeStage(batchesInFlightMax = 1, waitingMax = 100) {
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
    waitingMax,
  });
  return { runs, submit };
}

/** Two turns: one in which a batch ends, and the next, in which what waited goes. */
const settle = async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("an idle database is asked in the same turn of the event loop, for all that came in it", async () => {
  const { runs, submit } = makeStage();
  const results = [submit("a"), submit("b")];
  await settle();
  expect(runs.map(({ items }) => items)).toEqual([["a", "b"]]);
  runs[0]?.end();
  expect(await Promise.all(results)).toEqual(["a done", "b done"]);
});

test("what comes while a batch is under way goes together in the next", async () => {
  const { runs, submit } = makeStage();
  void submit("a");
  await settle();
  const results = [submit("b")];
  await settle();
  results.push(submit("c"));
  await settle();
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  await settle();
  expect(runs[1]?.items).toEqual(["b", "c"]);
  runs[1]?.end();
  expect(await Promise.all(results)).toEqual(["b done", "c done"]);
});

test("no more batches are under way, and no more items in one, than allowed", async () => {
  const { runs, submit } = makeStage(2);
  for (const item of ["a", "b", "c", "d", "e", "f", "g"]) void submit(item);
  await settle();
  expect(runs.map(({ items }) => items)).toEqual([
    ["a", "b", "c"],
    ["d", "e", "f"],
  ]);
  runs[0]?.end();
  await settle();
  expect(runs[2]?.items).toEqual(["g"]);
});

test("two items of one key go in different batches, in the order they came", async () => {
  const { runs, submit } = makeStage();
  for (const item of ["a1", "a2", "b"]) void submit(item);
  await settle();
  expect(runs[0]?.items).toEqual(["a1", "b"]);
  runs[0]?.end();
  await settle();
  expect(runs[1]?.items).toEqual(["a2"]);
});

test("a key with many items does not hold up the items of other keys", async () => {
  const { runs, submit } = makeStage();
  for (const item of ["a1", "a2", "b", "c", "d", "e"]) void submit(item);
  await settle();
  runs[0]?.end();
  await settle();
  expect(runs.map(({ items }) => items)).toEqual([
    ["a1", "b", "c"],
    ["d", "e", "a2"],
  ]);
});

test("an item beyond the bound of the queue is refused, and the others are answered", async () => {
  const { runs, submit } = makeStage(1, 2);
  const results = [submit("a"), submit("b")];
  await expect(submit("c")).rejects.toThrow("The database is overloaded: 2 writes are waiting.");
  await settle();
  const later = submit("c");
  runs[0]?.end();
  expect(await Promise.all(results)).toEqual(["a done", "b done"]);
  await settle();
  runs[1]?.end();
  expect(await later).toBe("c done");
});

test("one bad item fails alone", async () => {
  const { runs, submit } = makeStage();
  const results = [submit("a"), submit("b")];
  await settle();
  runs[0]?.end(new Error("bad row"));
  await settle();
  expect(runs.slice(1).map(({ items }) => items)).toEqual([["a"], ["b"]]);
  runs[1]?.end(new Error("bad row"));
  runs[2]?.end();
  const settled = await Promise.allSettled(results);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
