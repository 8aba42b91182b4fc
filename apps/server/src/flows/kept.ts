import type { Database } from "../storage/postgres/database.ts";

/** Things of a database that this process has just written and will likely need once more. */
export interface Kept<Key, Value> {
  keep(database: Database, key: Key, value: Value): void;
  /** Gives it once. It is as it was written: what is decided on it is written where it still is so. */
  take(database: Database, key: Key): Value | undefined;
}

/** Remembers the latest, at most so many; the others are read again. */
export function makeKept<Key, Value>(max: number): Kept<Key, Value> {
  const all = new WeakMap<Database, Map<Key, Value>>();
  return {
    keep: (database, key, value) => {
      const values = all.get(database) ?? new Map<Key, Value>();
      all.set(database, values);
      values.set(key, value);
      for (const oldest of values.keys()) {
        if (values.size <= max) break;
        values.delete(oldest);
      }
    },
    take: (database, key) => {
      const value = all.get(database)?.get(key);
      all.get(database)?.delete(key);
      return value;
    },
  };
}
