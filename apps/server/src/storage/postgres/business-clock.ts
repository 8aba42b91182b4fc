import { type Queryable, statement } from "./database.ts";

const READ = statement(
  "business_clock_read",
  "select extract(epoch from business_now()) * 1000 as now_ms",
);

/** Reads the business clock from the database. */
export async function readBusinessNow(queryable: Queryable): Promise<Date> {
  const [row] = await queryable.query<{ now_ms: string }>(READ);
  return new Date(Number(row?.now_ms));
}
