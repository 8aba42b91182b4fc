import { DatabaseBusy } from "./unavailable.ts";

/**
 * Group commit: items that arrive in one turn of the event loop, or while a batch is in flight, share the
 * next batch. On an idle database a batch starts at the end of the turn; no timer delays a caller. Under load
 * one statement and one commit serve many callers. A caller gets its result after its own batch committed.
 */
export interface BatchOptions<Item, Result> {
  /** Writes all items by one statement and returns their results in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items of the same key never share a batch, because one statement can update a row only once. */
  readonly keyOf?: (item: Item) => string;
  readonly batchesInFlightMax: number;
  readonly itemsMax: number;
  /** Items beyond this number are refused, because the database is slower than the items arrive. */
  readonly waitingMax?: number;
}

const WAITING_MAX_DEFAULT = 10_000;

class BatchQueueFull extends DatabaseBusy {
  constructor(waitingMax: number) {
    super(`The database is overloaded: ${waitingMax} writes are waiting. Try again later.`);
    this.name = "BatchQueueFull";
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function makeBatcher<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, keyOf, batchesInFlightMax, itemsMax } = options;
  const waitingMax = options.waitingMax ?? WAITING_MAX_DEFAULT;
  const queue = makeQueue<Waiting<Item, Result>>();
  let inFlight = 0;
  let isDue = false;
  const flush = (): void => {
    isDue = false;
    while (queue.length() > 0 && inFlight < batchesInFlightMax) {
      inFlight += 1;
      void runBatch(queue.take(itemsMax), run).finally(() => {
        inFlight -= 1;
        if (queue.length() > 0) flushSoon();
      });
    }
  };
  // The batch starts after the input that has arrived was read, because each batch costs a commit.
  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(flush);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length() >= waitingMax) return reject(new BatchQueueFull(waitingMax));
      queue.add({ item, resolve, reject }, keyOf?.(item));
      if (inFlight < batchesInFlightMax) flushSoon();
    });
}

/**
 * A queue that takes at most one item of each key at a time. The time to take depends only on the items
 * taken.
 */
function makeQueue<Item>() {
  const lines = new Map<string | symbol, Item[]>();
  let length = 0;
  return {
    length: () => length,
    add(item: Item, key: string | undefined): void {
      length += 1;
      const line = key === undefined ? undefined : lines.get(key);
      if (line) line.push(item);
      else lines.set(key ?? Symbol(), [item]);
    },
    take(itemsMax: number): Item[] {
      const taken: Item[] = [];
      const remaining: [key: string | symbol, line: Item[]][] = [];
      for (const [key, line] of lines) {
        if (taken.length === itemsMax) break;
        const first = line.shift();
        if (first !== undefined) taken.push(first);
        lines.delete(key);
        if (line.length > 0) remaining.push([key, line]);
      }
      // The next items of these keys wait behind all others.
      for (const [key, line] of remaining) lines.set(key, line);
      length -= taken.length;
      return taken;
    },
  };
}

/** Runs a batch. One bad item must not fail the others, so after an error each item runs alone. */
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
