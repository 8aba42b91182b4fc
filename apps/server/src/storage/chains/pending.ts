import type { PendingPayment } from "../../domain/ports/chain-reader.ts";
import { hurryJobs } from "../jobs/jobs.ts";
import { type Database, type Queryable, statement } from "../postgres/database.ts";
import { boolean, integer, records, table, text, units } from "../postgres/table.ts";
import { listReferencesOf } from "./movements.ts";

const PENDING = table({
  id: text(),
  address: text(),
  asset_id: integer(),
  units: units(),
  transaction_hash: text(),
});
const LISTED = table({ ...PENDING.columns, is_gone: boolean() });
/** A payment that is gone for longer is forgotten. The deposits of its order remember it. */
const KEPT_DAYS = 7;

// Returns the addresses with news: payments that were not there, and those that no node has had for a while.
const STORE = statement(
  "chain_pending_store",
  `with found as materialized (
     select ${PENDING.names} from ${records("payments", PENDING.definitions)}),
   before as materialized (
     select id from chain_pending where network_code = $2 and not is_gone),
   stored as (
     insert into chain_pending (network_code, ${PENDING.names})
     select $2, ${PENDING.names} from found
     on conflict (network_code, id) do update set seen_at = clock_timestamp(), is_gone = false
     returning id, address),
   gone as (
     update chain_pending p set is_gone = true
     where network_code = $2 and not is_gone
       and seen_at < clock_timestamp() - $3 * interval '1 millisecond'
       and not exists (select from found where found.id = p.id)
     returning address),
   forgotten as (
     delete from chain_pending where network_code = $2 and is_gone
       and seen_at < clock_timestamp() - interval '${KEPT_DAYS} days'
       and not exists (select from found where found.id = chain_pending.id))
   select address from stored where not exists (select from before where before.id = stored.id)
   union select address from gone`,
);
const HAS_SOME = statement(
  "chain_pending_has_some",
  "select from chain_pending where network_code = $1 limit 1",
);
const LIST_TO = statement(
  "chain_pending_list_to",
  `select ${LISTED.names} from chain_pending where network_code = $1 and address = $2 order by id`,
);

export interface StoredPending extends PendingPayment {
  /** The nodes' pools no longer have the payment: a block has it, or another transaction took its place. */
  readonly isGone: boolean;
}

/**
 * Records the payments that nodes have now. A payment that was missing for `patienceMs` is gone. It may be missing
 * for a moment, because a block takes it out of the nodes' pools before the scanner reads the block. The jobs of the
 * orders look at once.
 */
export async function storePending(
  database: Database,
  networkCode: string,
  { payments, patienceMs }: { readonly payments: readonly PendingPayment[]; patienceMs: number },
): Promise<void> {
  if (payments.length === 0 && (await database.query(HAS_SOME, [networkCode])).length === 0) return;
  const list = JSON.stringify({ payments: payments.map(PENDING.write) });
  await database.transaction(async (tx) => {
    const rows = await tx.query<{ address: string }>(STORE, [list, networkCode, patienceMs]);
    const addresses = rows.map(({ address }) => address);
    for (const reference of await listReferencesOf(tx, networkCode, addresses)) {
      await hurryJobs(tx, BigInt(reference));
    }
  });
}

export const listPendingTo = async (
  queryable: Queryable,
  { networkCode, address }: { readonly networkCode: string; readonly address: string },
): Promise<readonly StoredPending[]> =>
  (await queryable.query(LIST_TO, [networkCode, address])).map(LISTED.read);
