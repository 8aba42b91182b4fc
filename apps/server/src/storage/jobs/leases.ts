import { type Queryable, statement } from "../postgres/database.ts";

const END_JOB_LEASES = statement(
  "leases_end_jobs",
  "update jobs set lease_token = null, leased_until = null where lease_token is not null",
);
// Their deliveries stay claimed: the next claim records the attempts that were broken off.
const END_DELIVERY_LEASES = statement(
  "leases_end_deliveries",
  `update delivery_leases set leased_until = clock_timestamp()
   where leased_until > clock_timestamp()`,
);

/**
 * Ends every lease, so that what a killed process left goes on at once. Only for a database that
 * this process alone uses: elsewhere leases belong to others and run out by themselves.
 */
export async function endLeases(queryable: Queryable): Promise<void> {
  await queryable.query(END_JOB_LEASES);
  await queryable.query(END_DELIVERY_LEASES);
}
