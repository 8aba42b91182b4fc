import { type Queryable, statement } from "../postgres/database.ts";

const END_JOB_LEASES = statement(
  "leases_end_jobs",
  "update jobs set lease_token = null, leased_until = null where lease_token is not null",
);
// The deliveries stay claimed until the next claim, which records the interrupted attempts.
const END_DELIVERY_LEASES = statement(
  "leases_end_deliveries",
  `update delivery_leases set leased_until = clock_timestamp()
   where leased_until > clock_timestamp()`,
);

/**
 * Ends every lease, so that the work of a killed process continues at once. Use it only on a database that no
 * other process uses: otherwise the leases belong to running processes and end by themselves.
 */
export async function endLeases(queryable: Queryable): Promise<void> {
  await queryable.query(END_JOB_LEASES);
  await queryable.query(END_DELIVERY_LEASES);
}
