import type { WebhookEventType } from "@exchange/contract";
import type { Database, Tx } from "../postgres/database.ts";
import { CLAIM, END_LEASES, LOCK_ENDPOINTS } from "./claim-statements.ts";
import type { EndpointKey } from "./endpoints.ts";

/** The endpoint of claimed deliveries, as it was when they were claimed. */
export interface ClaimedEndpoint {
  readonly url: string;
  readonly secretSealed: Uint8Array;
  /** The secret before the last rotation, as long as it signs too. */
  readonly previousSecretSealed: Uint8Array | null;
  /** The endpoint has accepted webhooks and responds quickly. */
  readonly isTrusted: boolean;
}

/**
 * A delivery that a worker holds. The worker posts it while no database transaction is open, and records the result
 * under its fencing number. A worker that lost the delivery therefore records nothing. Claims of one endpoint exclude
 * each other by a lock on its row, so all workers together stay within its limit of requests in flight.
 */
export interface ClaimedDelivery {
  readonly id: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly fence: number;
  /** The first attempt is 1. */
  readonly attempt: number;
  /** The position of this attempt in the schedule, beginning with 1. A replay starts the schedule again. */
  readonly scheduleNumber: number;
  readonly orderId: bigint;
  readonly eventType: WebhookEventType;
  readonly payload: string;
  /** A test is sent only once, and its failure does not count against the endpoint. */
  readonly isTest: boolean;
  /** An upper bound of the requests that other workers have in flight at the endpoint. */
  readonly heldByOthers: number;
  /** All deliveries of one claim to the same endpoint share this object. */
  readonly endpoint: ClaimedEndpoint;
}

/** An endpoint for which a worker already holds deliveries, and for which it may claim more. */
export interface HeldEndpoint extends EndpointKey {
  /** The deliveries that the worker holds. The list may be empty if the worker wants no further ones. */
  readonly held: readonly Pick<ClaimedDelivery, "id" | "fence">[];
  /** The number of further deliveries that the worker wants. */
  readonly wanted: number;
}

export interface ClaimOptions {
  /** The id of the dispatcher, which is the same for all its claims. */
  readonly worker: string;
  readonly deliveriesMax: number;
  /**
   * The most deliveries for endpoints that are new, failing or slow. There is no limit when it is missing.
   */
  readonly untrustedMax?: number;
  readonly leaseMs: number;
  /** The endpoints for which the worker already holds deliveries. For others it claims at most four each. */
  readonly held?: readonly HeldEndpoint[];
}

interface LockedEndpoint {
  readonly merchant_id: string;
  readonly id: string;
  readonly url: string;
  readonly secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly is_paused: boolean;
  readonly is_trusted: boolean;
  readonly held: readonly string[] | null;
  readonly fences: readonly number[] | null;
  readonly wanted: number | null;
  readonly has_ended_lease: boolean;
}

interface ClaimedRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly fence: number;
  readonly attempt: number;
  readonly schedule_number: number;
  readonly order_id: string;
  readonly by_others: number;
  readonly event_type: WebhookEventType;
  readonly payload: string;
  readonly is_test: boolean;
}

/** Claims due deliveries and commits. */
export function claimDeliveries(
  database: Database,
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { deliveriesMax, untrustedMax = deliveriesMax } = options;
  return database.transaction(async (tx) => {
    const endpoints = await lockEndpoints(tx, options);
    await endLeases(tx, endpoints, options.worker);
    const trusted = endpoints.filter((endpoint) => endpoint.is_trusted);
    const claimed = await claimOf(tx, trusted, { ...options, limit: deliveriesMax });
    const limit = Math.min(deliveriesMax - claimed.length, untrustedMax);
    const untrusted = endpoints.filter((endpoint) => !endpoint.is_trusted).slice(0, limit);
    return [...claimed, ...(await claimOf(tx, untrusted, { ...options, limit }))];
  });
}

function lockEndpoints(tx: Tx, options: ClaimOptions): Promise<LockedEndpoint[]> {
  const { worker, deliveriesMax, held = [] } = options;
  return tx.query<LockedEndpoint>(LOCK_ENDPOINTS, [
    deliveriesMax,
    JSON.stringify(
      held.map((endpoint) => ({
        merchant_id: endpoint.merchantId,
        id: endpoint.endpointId,
        wanted: endpoint.wanted,
        held: endpoint.held.map(({ id }) => id),
        fences: endpoint.held.map(({ fence }) => fence),
      })),
    ),
    worker,
  ]);
}

async function endLeases(
  tx: Tx,
  endpoints: readonly LockedEndpoint[],
  worker: string,
): Promise<void> {
  const ended = endpoints.filter((endpoint) => endpoint.has_ended_lease);
  if (ended.length === 0) return;
  await tx.query(END_LEASES, [
    ended.map((endpoint) => endpoint.merchant_id),
    ended.map((endpoint) => endpoint.id),
    worker,
  ]);
}

/**
 * Claims deliveries of locked endpoints. It sees the claims that others committed before the locks were
 * taken.
 */
async function claimOf(
  tx: Tx,
  endpoints: readonly LockedEndpoint[],
  { worker, leaseMs, limit }: ClaimOptions & { readonly limit: number },
): Promise<ClaimedDelivery[]> {
  if (endpoints.length === 0) return [];
  const rows = await tx.query<ClaimedRow>(CLAIM, [
    JSON.stringify(
      endpoints.map(({ merchant_id, id, is_paused, wanted, held, fences }) => ({
        merchant_id,
        id,
        is_paused,
        wanted,
        held,
        fences,
      })),
    ),
    limit,
    leaseMs,
    // If the limit is small, each endpoint gets one delivery before any gets two.
    Math.max(1, Math.floor(limit / endpoints.length)),
    worker,
  ]);
  const byId = new Map(endpoints.map((row) => [row.id, { row, endpoint: toEndpoint(row) }]));
  return rows.flatMap((row) => {
    const found = byId.get(row.endpoint_id);
    return found ? [toClaimed(row, found.row.merchant_id, found.endpoint)] : [];
  });
}

const toEndpoint = (row: LockedEndpoint): ClaimedEndpoint => ({
  url: row.url,
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_secret_sealed,
  isTrusted: row.is_trusted,
});

const toClaimed = (
  row: ClaimedRow,
  merchantId: string,
  endpoint: ClaimedEndpoint,
): ClaimedDelivery => ({
  id: row.id,
  merchantId,
  endpointId: row.endpoint_id,
  fence: row.fence,
  attempt: row.attempt,
  scheduleNumber: row.schedule_number,
  orderId: BigInt(row.order_id),
  eventType: row.event_type,
  payload: row.payload,
  isTest: row.is_test,
  heldByOthers: row.by_others,
  endpoint,
});
