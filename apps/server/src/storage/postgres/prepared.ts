import pg from "pg";
import { listsOf } from "./lookups.ts";
import type { Statement } from "./statement.ts";
import { toDatabaseError } from "./unavailable.ts";

export async function runStatement<Row>(
  client: pg.Pool | pg.PoolClient,
  sql: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await execute(client, sql, sql.isLookup === true ? listsOf([values]) : values);
  return result.rows as Row[];
}

/** Runs a lookup for several keys. */
export async function runLookup(
  client: pg.Pool,
  sql: Statement,
  keys: readonly (readonly unknown[])[],
): Promise<unknown[]> {
  return (await execute(client, sql, listsOf(keys))).rows;
}

/** Runs a statement without result rows, which costs PostgreSQL less. Returns the number of rows written. */
export async function runWrite(
  client: pg.Pool | pg.PoolClient,
  sql: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  const result = await execute(client, sql, values);
  return result.rowCount ?? 0;
}

const PREPARE_ATTEMPTS_MAX = 6;
/** The number of times that statements were prepared again. It is a part of their names, so it is for all connections. */
let renewals = 0;

/**
 * A newer version of the service may add a column to a table while this process runs. PostgreSQL then refuses each
 * prepared statement that returns all columns of it, before it executes anything. Under a new name the statement is
 * prepared again, with the new column. A database transaction has failed with the statement and runs again as a whole.
 */
async function execute(
  client: pg.Pool | pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  for (let attempt = 1; ; attempt++) {
    const used = renewals;
    const prepared = name === "" || used === 0 ? name : `${name}_${used}`;
    try {
      return await client.query({ name: prepared, text, values: [...values] });
    } catch (error) {
      if (isOutdated(error) && renewals === used) renewals += 1;
      const isAlone = client instanceof pg.Pool;
      if (!isAlone || !isOutdated(error) || attempt === PREPARE_ATTEMPTS_MAX)
        throw toDatabaseError(error);
    }
  }
}

/** Whether a statement was prepared before the columns that it returns have changed. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === "0A000" &&
  error.routine === "RevalidateCachedQuery";

/** Throws a driver error as an error of this room. */
export const throwDatabaseError = (error: unknown): never => {
  throw toDatabaseError(error);
};
