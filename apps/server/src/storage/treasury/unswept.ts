import { IS_OWN_MOVE } from "../chains/movements.ts";
import { IS_RESTORED } from "../history.ts";
import { isRailStopped } from "../payouts/network-stops.ts";
import { type Queryable, statement } from "../postgres/database.ts";

const IS_STOPPED = isRailStopped("$1");
const PAGE_ROWS = 500;
// Coins that are too few for a sweep stay in the table for good. So a round reads one page of it, and the next round the next.
const IN_PAGE =
  "unswept.network_code = $1 and unswept.address > $2 and unswept.address <= coalesce($3, unswept.address)";
const PAGE_END = statement(
  "sweeps_page_end",
  `select address from unswept_deposits where network_code = $1 and address > $2
   order by address offset ${PAGE_ROWS - 1} limit 1`,
);
// Skips an address with a deposit that is not booked or not final, and one whose move failed or was refused lately.
const UNSWEPT = statement(
  "sweeps_unswept",
  `select unswept.address, own.key_index as "keyIndex", unswept.asset_id as "assetId",
     extract(epoch from clock_timestamp() - unswept.since)::float8 * 1000 as "ageMs",
     unswept_units($1, unswept.address, unswept.asset_id)::text as units
   from unswept_deposits unswept join chain_addresses own using (network_code, address)
   where ${IN_PAGE} and not ${IS_RESTORED} and not ${IS_STOPPED}
     and not exists (select from chain_movements m
       where m.network_code = $1 and m.address = unswept.address and (m.state = 'seen'
         or (m.state = 'final'
           and not exists (select from deposits d where d.rail = 'chain' and d.source = $1
             and d.external_id = m.id and d.state = 'final')
           and not ${IS_OWN_MOVE})))
     and not exists (select from chain_sends send
         join chain_send_outputs output on output.send_id = send.id
         join chain_wallets wallet on wallet.id = send.wallet_id and wallet.network_code = $1
       where send.purpose in ('sweep', 'top_up')
         and (send.state in ('bound', 'signed', 'sent')
           or (send.state = 'vacated' and send.updated_at > business_now() - interval '1 hour')
           or (send.state in ('failed', 'dead') and send.updated_at > business_now()
             - case when send.dead_by like 'deadline:%' then interval '1 hour' else interval '1 day' end))
         and case send.purpose when 'sweep' then wallet.address else output.address end
           = unswept.address)
   order by unswept.since desc`,
);
// Their coins were collected. Coins that come later are listed again.
const FORGET = statement(
  "sweeps_forget",
  `delete from unswept_deposits unswept where ${IN_PAGE}
     and unswept_units($1, unswept.address, unswept.asset_id) = 0`,
);

/** Coins at a deposit address, whose deposits are final and booked. */
export interface Unswept {
  readonly address: string;
  readonly keyIndex: number;
  readonly assetId: number;
  readonly ageMs: number;
  /** By our rows. The chain may have more, which is not explained yet. */
  readonly units: bigint;
}

/**
 * Lists the deposit addresses that may be swept now, out of the page that begins behind an address. None while the network's
 * payouts are stopped. `end` is the last address of the page, or undefined if no page follows.
 */
export async function listUnswept(
  queryable: Queryable,
  networkCode: string,
  after: string,
): Promise<{ readonly unswept: Unswept[]; readonly end: string | undefined }> {
  const [last] = await queryable.query<{ address: string }>(PAGE_END, [networkCode, after]);
  const page = [networkCode, after, last?.address ?? null];
  await queryable.write(FORGET, page);
  const rows = await queryable.query<Omit<Unswept, "units"> & { units: string }>(UNSWEPT, page);
  const unswept = rows.map(({ units, ...row }) => ({ ...row, units: BigInt(units) }));
  return { unswept, end: last?.address };
}
