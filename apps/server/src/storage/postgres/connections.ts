import { type Queryable, statement, unnamedStatement } from "./database.ts";

const OTHERS_OF_DATABASE = unnamedStatement(
  `select count(*)::int as count from pg_stat_activity
   where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
     and application_name <> 'exchange lock'`,
);
const OTHERS_OF_SERVER = statement(
  "server_count_other_connections",
  `select count(*)::int as count from pg_stat_activity
   where backend_type = 'client backend' and pid <> pg_backend_pid()`,
);

interface CountRow {
  readonly count: number;
}

/** Counts the connections to the database beside this one, such as those of a running service. */
export async function countOtherConnections(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<CountRow>(OTHERS_OF_DATABASE);
  return row?.count ?? 0;
}

/** Counts the connections to the whole server beside this one, those that hold a lock included. */
export async function countServerConnections(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<CountRow>(OTHERS_OF_SERVER);
  return row?.count ?? 0;
}
