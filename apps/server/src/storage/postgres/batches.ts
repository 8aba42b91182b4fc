import type { Slots } from "./statement-slots.ts";

/**
 * Natural group commit: what comes in one turn of the event loop, or while a batch is under way, goes
 * together in the next. An idle database is asked at the end of the turn and no timer ever delays
 * anybody; under load one statement and one commit serve many callers. Each caller is answered after
 * the commit of its own batch.
 */
export interface BatchOptions<Item, Result> {
  /** Does the work of all items in one statement; gives their results in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items of the same key never share a batch: one statement touches a row once. Reads need none. */
  readonly keyOf?: (item: Item) => string;
  readonly batchesInFlightMax: number;
  /** Shared with batches of other kinds; each that is under way has one. */
  readonly slots?: Slots;
  readonly itemsMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const UNBOUNDED: Slots = { take: () => () => {} };

export function makeBatcher<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  let queue: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let isDue = false;
  const slots = options.slots ?? UNBOUNDED;
  const flush = (): void => {
    isDue = false;
    while (queue.length > 0 && inFlight < options.batchesInFlightMax) {
      const giveBack = slots.take(flushSoon);
      if (giveBack === undefined) return;
      const { batch, rest } = takeBatch(queue, options);
      queue = rest;
      inFlight += 1;
      void runBatch(batch, options.run).finally(() => {
        inFlight -= 1;
        giveBack();
        if (queue.length > 0) flushSoon();
      });
    }
  };
  // After the input that has arrived already was read: each batch costs a write and a commit.
  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(flush);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (inFlight < options.batchesInFlightMax) flushSoon();
    });
}

/** The same for each database: those who ask one database at the same time share a statement. */
export function sharedBatcher<Source extends object, Item, Result>(
  optionsOf: (source: Source) => BatchOptions<Item, Result>,
): (source: Source, item: Item) => Promise<Result> {
  const batchers = new WeakMap<Source, (item: Item) => Promise<Result>>();
  return (source, item) => {
    const batcher = batchers.get(source) ?? makeBatcher(optionsOf(source));
    batchers.set(source, batcher);
    return batcher(item);
  };
}

function takeBatch<Item, Result>(
  queue: readonly Waiting<Item, Result>[],
  options: Pick<BatchOptions<Item, Result>, "keyOf" | "itemsMax">,
): { batch: Waiting<Item, Result>[]; rest: Waiting<Item, Result>[] } {
  const keys = new Set<string>();
  const batch: Waiting<Item, Result>[] = [];
  const rest: Waiting<Item, Result>[] = [];
  for (const waiting of queue) {
    const key = options.keyOf?.(waiting.item);
    const isFree = key === undefined || !keys.has(key);
    if (batch.length < options.itemsMax && isFree) batch.push(waiting);
    else rest.push(waiting);
    if (key !== undefined) keys.add(key);
  }
  return { batch, rest };
}

/** One bad item must not fail its neighbours: after an error each is run by itself. */
async function runBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  run: BatchOptions<Item, Result>["run"],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
  } catch (error) {
    if (batch.length > 1) await Promise.all(batch.map((waiting) => runBatch([waiting], run)));
    else batch[0]?.reject(error);
  }
}
