import type { Endpoint } from "@exchange/contract";
import { Refusal } from "../../flows/refusal.ts";

/** Endpoints that may read very many rows of one merchant. */
const SCANS: ReadonlySet<string> = new Set([
  "listOrders",
  "listEvents",
  "listWebhookDeliveries",
  "replayWebhookDeliveries",
]);

export interface ScanLimitOptions {
  /** The number of database connections that requests share. */
  readonly connectionsMax: number;
  readonly waitMs?: number;
}

interface Waiting {
  readonly merchantId: string;
  readonly start: () => void;
}

/** Runs the work of one request. A scan waits for a free place first. */
export type ScanLimit = <T>(
  request: { readonly endpoint: Endpoint; readonly merchantId: string | undefined },
  work: () => Promise<T>,
) => Promise<T>;

const WAIT_MS = 5_000;
const WAITING_MAX = 256;

/**
 * Lets scans use half of the connections, and the scans of one merchant a quarter. Otherwise one merchant's slow
 * statements would hold every connection, and each may take thirty seconds.
 */
export function makeScanLimit(options: ScanLimitOptions): ScanLimit {
  const { connectionsMax, waitMs = WAIT_MS } = options;
  const totalMax = Math.max(1, Math.floor(connectionsMax / 2));
  const perMerchantMax = Math.max(1, Math.floor(connectionsMax / 4));
  const running = new Map<string, number>();
  const waiting: Waiting[] = [];
  let total = 0;

  const mayStart = (merchantId: string): boolean =>
    total < totalMax && (running.get(merchantId) ?? 0) < perMerchantMax;
  const count = (merchantId: string, by: 1 | -1): void => {
    total += by;
    const own = (running.get(merchantId) ?? 0) + by;
    if (own === 0) running.delete(merchantId);
    else running.set(merchantId, own);
  };
  const leave = (merchantId: string): void => {
    count(merchantId, -1);
    const next = waiting.findIndex((each) => mayStart(each.merchantId));
    if (next >= 0) waiting.splice(next, 1)[0]?.start();
  };
  const enter = async (merchantId: string): Promise<void> => {
    if (mayStart(merchantId)) {
      count(merchantId, 1);
      return;
    }
    if (waiting.length >= WAITING_MAX) throw refusal();
    await new Promise<void>((resolve, reject) => {
      const own: Waiting = {
        merchantId,
        start: () => {
          clearTimeout(timer);
          count(merchantId, 1);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(own), 1);
        reject(refusal());
      }, waitMs);
      waiting.push(own);
    });
  };
  return async ({ endpoint, merchantId }, work) => {
    if (merchantId === undefined || !SCANS.has(endpoint.operationId)) return work();
    await enter(merchantId);
    try {
      return await work();
    } finally {
      leave(merchantId);
    }
  };
}

const refusal = (): Refusal =>
  new Refusal("RATE_LIMITED", {
    message:
      "Too many lists are being read at the same time. Wait for earlier ones to be answered.",
  });
