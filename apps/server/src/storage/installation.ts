import { CONFIG_CHANGED_CHANNEL } from "./catalogue/config-version.ts";
import { type Queryable, statement, type Tx } from "./postgres/database.ts";

const INSERT = statement(
  "installation_insert",
  `insert into installation (environment, order_id_key) values ($1, $2)
   on conflict do nothing`,
);
const READ = statement("installation_read", "select environment from installation");

/** A sandbox may run this far ahead: later dates would leave what PostgreSQL and JavaScript can tell. */
const AHEAD_MAX = "interval '36500 days'";

const ADVANCE_CLOCK = statement(
  "installation_advance_clock",
  `update installation set clock_offset = clock_offset + $1 * interval '1 second'
   where environment <> 'prod' and clock_offset + $1 * interval '1 second' <= ${AHEAD_MAX}
   returning extract(epoch from clock_offset)::bigint as ahead_seconds`,
);
const TELL_CLOCK = statement(
  "installation_tell_clock",
  `select pg_notify('${CONFIG_CHANGED_CHANNEL}', '')`,
);

/**
 * Moves the business clock forward and tells every process of it. Gives how far it runs ahead of real
 * time then; undefined when that would be too far, and always in prod.
 */
export async function advanceBusinessClock(tx: Tx, seconds: number): Promise<number | undefined> {
  const [row] = await tx.query<{ ahead_seconds: string }>(ADVANCE_CLOCK, [seconds]);
  if (row === undefined) return undefined;
  await tx.query(TELL_CLOCK);
  return Number(row.ahead_seconds);
}

/**
 * Writes the one row of the installation at its first start; after that the row stays as it is.
 * Gives the environment the database belongs to.
 */
export async function ensureInstallation(
  queryable: Queryable,
  first: { readonly environment: string; readonly orderIdKey: Uint8Array },
): Promise<string> {
  await queryable.query(INSERT, [first.environment, Buffer.from(first.orderIdKey)]);
  const [row] = await queryable.query<{ environment: string }>(READ);
  if (row === undefined) throw new Error("The installation has no row.");
  return row.environment;
}
