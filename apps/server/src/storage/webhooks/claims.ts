import type { WebhookEventType } from "@exchange/contract";
import type { Database, Tx } from "../postgres/database.ts";
import {
  CLAIM,
  END_LEASES,
  IN_FLIGHT_PER_ENDPOINT_MAX,
  LOCK_ENDPOINTS,
} from "./claim-statements.ts";
import type { EndpointKey } from "./endpoints.ts";

export { IN_FLIGHT_PER_ENDPOINT_MAX };

/** Where claimed deliveries go: what it was when they were claimed. */
export interface ClaimedEndpoint {
  readonly url: string;
  readonly secretSealed: Uint8Array;
  /** The secret before a rotation, while it signs too. */
  readonly previousSecretSealed: Uint8Array | null;
  /** It has taken webhooks, and does so quickly. */
  readonly isTrusted: boolean;
}

/**
 * A delivery is held by a worker, posted with no database transaction open, and recorded under its
 * fencing number: whoever lost it records nothing. Claims of one endpoint exclude each other by a lock
 * on its row, so its bound of requests in flight holds over any number of workers.
 */
export interface ClaimedDelivery {
  readonly id: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly fence: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** The place of this attempt in the schedule, which a replay begins anew; 1 for the first. */
  readonly scheduleNumber: number;
  readonly orderId: bigint;
  readonly eventType: WebhookEventType;
  readonly payload: string;
  /** Sent to try the endpoint: once, and its failure says nothing about the endpoint. */
  readonly isTest: boolean;
  /** As many requests at most have other workers under way at its endpoint. */
  readonly heldByOthers: number;
  /** The same object for all of one claim. */
  readonly endpoint: ClaimedEndpoint;
}

/** An endpoint that a worker is busy with, and may claim ahead for. */
export interface HeldEndpoint extends EndpointKey {
  /** What the worker holds of it; may be left out where no more is wanted. */
  readonly held: readonly Pick<ClaimedDelivery, "id" | "fence">[];
  /** How many more of its deliveries the worker wants. */
  readonly wanted: number;
}

export interface ClaimOptions {
  /** Who claims: the same for all claims of one dispatcher. */
  readonly worker: string;
  readonly deliveriesMax: number;
  /** How many of them may be for endpoints that are new, failing or slow; no bound when left out. */
  readonly untrustedMax?: number;
  readonly leaseMs: number;
  /** Where the worker is busy already; of any other endpoint at most four are taken. */
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

/** Takes hold of what is due, and commits. */
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
  const left = endpoints.filter((endpoint) => endpoint.has_ended_lease);
  if (left.length === 0) return;
  await tx.query(END_LEASES, [
    left.map((endpoint) => endpoint.merchant_id),
    left.map((endpoint) => endpoint.id),
    worker,
  ]);
}

/** It sees what others committed before the endpoints were locked. */
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
    // Where places are few, each endpoint gets one before any gets two.
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
