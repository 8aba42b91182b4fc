import { type Queryable, statement } from "./database.ts";

const INSERT = statement(
  "installation_insert",
  `insert into installation (environment, order_id_key) values ($1, $2)
   on conflict do nothing`,
);
const READ = statement("installation_read", "select environment from installation");

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
