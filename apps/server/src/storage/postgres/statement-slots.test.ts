import { expect, test } from "vitest";
import { makeBatcher } from "./batches.ts";
import { makeSlots } from "./statement-slots.ts";

const PATIENT = { count: 2, keptMsMax: 60_000 };

/** Kinds of statements that share slots; each ends when the test says so. */
function makeKinds(options = PATIENT) {
  const slots = makeSlots(options);
  const runs: { readonly items: readonly string[]; readonly end: () => void }[] = [];
  const makeKind = () =>
    makeBatcher<string, void>({
      run: (items) =>
        new Promise((resolve) => {
          runs.push({ items, end: () => resolve(items.map(() => undefined)) });
        }),
      batchesInFlightMax: 2,
      itemsMax: 3,
      slots,
    });
  const seen = () => runs.map(({ items }) => items.join(" "));
  return { makeKind, runs, seen };
}

const settle = async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("of a kind one statement is under way, and what comes meanwhile shares the next", async () => {
  const { makeKind, runs, seen } = makeKinds();
  const submit = makeKind();
  for (const item of ["a", "b", "c", "d"]) void submit(item);
  await settle();
  void submit("e");
  await settle();
  expect(seen()).toEqual(["a b c"]);
  runs[0]?.end();
  await settle();
  expect(seen()).toEqual(["a b c", "d e"]);
});

test("no more kinds have one under way than there are slots, and who waited longest is next", async () => {
  const { makeKind, runs, seen } = makeKinds();
  const [placing, paying, sending, telling] = [makeKind(), makeKind(), makeKind(), makeKind()];
  for (const submit of [placing, paying, sending, telling]) {
    void submit("1st");
    await settle();
  }
  expect(runs).toHaveLength(2);
  void placing("placed again");
  void sending("sent too");
  await settle();
  runs[0]?.end();
  await settle();
  expect(seen().at(-1)).toBe("1st sent too");
  runs[2]?.end();
  await settle();
  expect(seen().at(-1)).toBe("1st");
  runs[3]?.end();
  await settle();
  expect(seen()).toEqual(["1st", "1st", "1st sent too", "1st", "placed again"]);
});

test("statements that wait for a lock keep no other kind waiting, nor for long their own", async () => {
  const { makeKind, seen } = makeKinds({ count: 2, keptMsMax: 20 });
  const [blocked, blockedToo, free] = [makeKind(), makeKind(), makeKind()];
  void blocked("never ends");
  void blockedToo("never ends either");
  await settle();
  void free("goes on");
  void blocked("goes on too");
  await expect.poll(() => seen().slice(2).sort()).toEqual(["goes on", "goes on too"]);
});

test("a slot that was taken back is not given back a second time", async () => {
  const slots = makeSlots({ count: 1, keptMsMax: 1 });
  let wakes = 0;
  const wake = () => {
    wakes += 1;
  };
  const late = slots.take(() => {});
  expect(slots.take(wake)).toBeUndefined();
  await expect.poll(() => wakes).toBe(1);
  const patient = makeSlots({ count: 1, keptMsMax: 60_000 });
  const first = patient.take(() => {});
  first?.();
  expect(patient.take(wake)).toBeDefined();
  first?.();
  expect(patient.take(() => {})).toBeUndefined();
  late?.();
  expect(wakes).toBe(1);
});
