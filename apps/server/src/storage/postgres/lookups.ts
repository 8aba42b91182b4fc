import { makeBatcher } from "./batches.ts";
import type { Statement } from "./statement.ts";

/** A row of a lookup names its key by the position in the statement's lists. */
interface FoundRow {
  readonly lookup_line: string;
}

type Run = (statement: Statement, keys: readonly (readonly unknown[])[]) => Promise<unknown[]>;

/** Statements that read more rows at once would delay the first of their callers. */
const KEYS_AT_ONCE = 32;

/**
 * Runs lookups in batches. Those of one statement share an execution if they arrive in one turn of the event loop, or
 * while an earlier execution is under way. Each caller reads a snapshot that was taken after its call.
 */
export function makeLookups(run: Run, waitingMax: number) {
  const batchers = new Map<Statement, (key: readonly unknown[]) => Promise<unknown[]>>();
  const batcherOf = (statement: Statement) => {
    const batcher = makeBatcher<readonly unknown[], unknown[]>({
      run: async (keys) => rowsOfKeys(keys.length, await run(statement, keys)),
      batchesInFlightMax: 2,
      itemsMax: KEYS_AT_ONCE,
      waitingMax,
    });
    batchers.set(statement, batcher);
    return batcher;
  };
  return (statement: Statement, key: readonly unknown[]): Promise<unknown[]> =>
    (batchers.get(statement) ?? batcherOf(statement))(key);
}

function rowsOfKeys(length: number, rows: readonly unknown[]): unknown[][] {
  const found: unknown[][] = Array.from({ length }, () => []);
  for (const row of rows) found[Number((row as FoundRow).lookup_line) - 1]?.push(row);
  return found;
}

/** Returns the lists that a lookup's statement takes: one for each of its values. */
export const listsOf = (keys: readonly (readonly unknown[])[]): unknown[][] =>
  (keys[0] ?? []).map((_value, index) => keys.map((key) => key[index]));
