import { type Queryable, statement } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";

export type EndpointLogEntryKind =
  | "added"
  | "changed"
  | "enabled"
  | "disabled"
  | "removed"
  | "secret_rotated"
  | "overlap_ended"
  | "failing_for_a_day";

/** A change of an endpoint. The detail is a short text without secrets. */
export interface EndpointLogEntry {
  readonly what: EndpointLogEntryKind;
  readonly detail: string;
  readonly at: Date;
}

/** The length that a detail is cut to. A URL can be longer. */
export const DETAIL_MAX = 500;

const RECORD = statement(
  "webhook_endpoint_log_record",
  `insert into webhook_endpoint_log (merchant_id, endpoint_id, what, detail)
   values ($1, $2, $3, left($4, ${DETAIL_MAX}))`,
);

const LIST = statement(
  "webhook_endpoint_log_list",
  `select what, detail, at from webhook_endpoint_log
   where merchant_id = $1 and endpoint_id = $2 order by number desc limit 100`,
);

export async function recordEndpointLog(
  queryable: Queryable,
  entry: EndpointKey & { readonly what: EndpointLogEntryKind; readonly detail?: string },
): Promise<void> {
  const { merchantId, endpointId, what, detail } = entry;
  await queryable.query(RECORD, [merchantId, endpointId, what, detail ?? ""]);
}

/** Lists the latest hundred entries, newest first. */
export const listEndpointLog = (
  queryable: Queryable,
  key: EndpointKey,
): Promise<EndpointLogEntry[]> =>
  queryable.query<EndpointLogEntry>(LIST, [key.merchantId, key.endpointId]);
