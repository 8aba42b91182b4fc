import { expect, test } from "vitest";
import { makeBatcher } from "./batches.ts";

/** Runs that end when the test ends them. */
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

/** Waits two turns: a batch ends in the first, and the waiting items start in the second. */
const settle = async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("items that arrive in one turn of the event loop share a batch at its end", async () => {
  const { runs, submit } = makeStage();
  const results = [submit("a"), submit("b")];
  await settle();
  expect(runs.map(({ items }) => items)).toEqual([["a", "b"]]);
  runs[0]?.end();
  expect(await Promise.all(results)).toEqual(["a done", "b done"]);
});

test("items that arrive while a batch is in flight share the next batch", async () => {
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

test("the number of batches in flight and the items of a batch stay within their limits", async () => {
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

test("two items of one key are in different batches, in the order of their arrival", async () => {
  const { runs, submit } = makeStage();
  for (const item of ["a1", "a2", "b"]) void submit(item);
  await settle();
  expect(runs[0]?.items).toEqual(["a1", "b"]);
  runs[0]?.end();
  await settle();
  expect(runs[1]?.items).toEqual(["a2"]);
});

test("a key with many items does not delay the items of other keys", async () => {
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

test("an item beyond the limit of the queue is refused, and the others get their results", async () => {
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
