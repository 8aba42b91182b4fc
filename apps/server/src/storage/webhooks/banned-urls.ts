import { statement, type Tx } from "../postgres/database.ts";
import { DETAIL_MAX } from "./endpoint-log.ts";

// A merchant may remove the endpoint or give it another URL: the row keeps the reason, and the log each URL. The log
// says who added an endpoint and when a ban began: the row keeps an earlier time where its merchant had disabled it.
// An endpoint that was added before the ban, or that the merchant added, allows nothing.
const LIST_BANS = statement(
  "webhook_endpoints_list_bans",
  `with bans as (
     select held.id, held.url, coalesce((
       select max(entry.number) from webhook_endpoint_log entry
       where entry.merchant_id = $1 and entry.endpoint_id = held.id and entry.what = 'disabled'
         and entry.detail like 'operator: %'), 0) as began
     from webhook_endpoints held where held.merchant_id = $1 and held.disabled_reason = 'operator')
   select url, began, false as "isCut", false as "isAllowed" from bans
   union
   select regexp_replace(entry.detail, '^(merchant|operator): ', ''), bans.began,
     length(entry.detail) = ${DETAIL_MAX}, false
   from bans join webhook_endpoint_log entry on entry.merchant_id = $1 and entry.endpoint_id = bans.id
   where entry.what in ('added', 'changed') and strpos(entry.detail, $2) > 0
   union
   select later.url, entry.number, false, true
   from webhook_endpoints later
     join webhook_endpoint_log entry on entry.merchant_id = $1 and entry.endpoint_id = later.id
   where later.merchant_id = $1 and later.disabled_reason is distinct from 'operator'
     and entry.what = 'added' and entry.detail like 'operator: %'`,
);

/**
 * A URL of an endpoint that the operator disabled, or of one that the operator added. Rows of the log are
 * numbered in their order.
 */
export interface BannedUrl {
  readonly url: string;
  /** The row of the log in which the ban began, or in which the operator added the endpoint. */
  readonly number: bigint;
  /** The log has only the beginning of the URL. */
  readonly isCut: boolean;
  /** The operator added the endpoint, so the URL is allowed where its ban began earlier. */
  readonly isAllowed: boolean;
}

/** Lists a merchant's URLs that the operator disabled or added. The log is searched for URLs with this part. */
export async function listBannedUrls(
  tx: Tx,
  { merchantId, part }: { readonly merchantId: string; readonly part: string },
): Promise<readonly BannedUrl[]> {
  const rows = await tx.query<Omit<BannedUrl, "number"> & { readonly began: string }>(LIST_BANS, [
    merchantId,
    part,
  ]);
  return rows.map(({ began, ...row }) => ({ ...row, number: BigInt(began) }));
}
