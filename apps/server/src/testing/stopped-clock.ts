import { type Database, unnamedStatement } from "../storage/postgres/database.ts";

/**
 * Stops the business clock of a test's database at the present time. From then on only the test moves it, however long
 * the machine takes. Returns the time at which it stopped.
 */
export async function stopClock(database: Database): Promise<Date> {
  const now = new Date();
  await database.query(
    unnamedStatement(
      `create or replace function business_now() returns timestamptz language plpgsql stable as $$
       begin
         return timestamptz '${now.toISOString()}'
           + coalesce(pg_sequence_last_value('business_clock_offset'), 0) * interval '1 microsecond';
       end $$`,
    ),
  );
  return now;
}
