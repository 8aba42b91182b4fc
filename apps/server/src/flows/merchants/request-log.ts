import {
  type ApiRequest,
  type EndedRequest,
  findApiRequest,
  insertApiRequests,
  type LoggedRequest,
  listApiRequests,
  type RequestSearch,
} from "../../storage/merchants/api-requests.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

/** The calls of the API that this process answered, on their way to the log of requests. */
export interface RequestLog {
  /** Notes a call in memory. Nothing is written, so it may be called for each request. */
  note(request: ApiRequest): void;
  /** Writes the noted calls in one statement, after an earlier flush. It never rejects. */
  flush(): Promise<void>;
}

/** The calls that are kept between two flushes. Each outcome has its own limit, so successful calls displace no failed one. */
const PENDING_MAX = { done: 20, failed: 100 } as const;
/** Answers with this status and above are failed calls. */
export const FAILED_STATUS_MIN = 400;

type Outcome = keyof typeof PENDING_MAX;

const outcomeOf = ({ status }: Pick<ApiRequest, "status">): Outcome =>
  status < FAILED_STATUS_MIN ? "done" : "failed";

/**
 * Makes the log of one process. It is for people who look a call up, not for the books. A crash loses the calls of the
 * last second. A busy second keeps as many calls as the limits allow, and shares them among the merchants.
 */
export function makeRequestLog(deps: Pick<Deps, "database" | "log">): RequestLog {
  let pending: (ApiRequest & { readonly endedMs: number })[] = [];
  const drop = (merchantId: string, outcome: Outcome): void => {
    const place = pending.findLastIndex(
      (call) => call.merchantId === merchantId && outcomeOf(call) === outcome,
    );
    pending.splice(place, 1);
  };
  const shares = { done: makeShares(PENDING_MAX.done), failed: makeShares(PENDING_MAX.failed) };
  const writePending = async (): Promise<void> => {
    if (pending.length === 0) return;
    const now = Date.now();
    const ended: EndedRequest[] = pending.map(({ endedMs, ...request }) => ({
      ...request,
      ageMs: now - endedMs,
    }));
    pending = [];
    shares.done.clear();
    shares.failed.clear();
    try {
      await insertApiRequests(deps.database, ended);
    } catch (error) {
      deps.log.warn({ err: error }, "calls were not written to the log of requests");
    }
  };
  let written = Promise.resolve();
  return {
    note(request) {
      const outcome = outcomeOf(request);
      const share = shares[outcome].take(request.merchantId);
      if (!share.isTaken) return;
      if (share.from !== undefined) drop(share.from, outcome);
      pending.push({ ...request, endedMs: Date.now() });
    },
    flush() {
      // One flush waits for another, so a slow database holds one connection and the requests have the others.
      written = written.then(writePending);
      return written;
    },
  };
}

/** Shares a number of places. When all are taken, a merchant takes one from another that has at least two more. */
function makeShares(max: number) {
  const places = new Map<string, number>();
  let taken = 0;
  return {
    take(merchantId: string): { readonly isTaken: boolean; readonly from?: string } {
      const own = places.get(merchantId) ?? 0;
      if (taken < max) {
        taken += 1;
        places.set(merchantId, own + 1);
        return { isTaken: true };
      }
      let from = merchantId;
      let most = own;
      for (const [id, count] of places) if (count > most) [from, most] = [id, count];
      if (most <= own + 1) return { isTaken: false };
      places.set(from, most - 1);
      places.set(merchantId, own + 1);
      return { isTaken: true, from };
    },
    clear(): void {
      places.clear();
      taken = 0;
    },
  };
}

export interface SearchRequests extends RequestSearch {
  /** The call with this id alone, whatever its outcome. */
  readonly requestId: string | undefined;
}

/** Lists a merchant's calls, the newest first, or finds one of them. */
export async function searchRequests(
  { database }: Pick<Deps, "database">,
  { requestId, ...search }: SearchRequests,
): Promise<Page<LoggedRequest, LoggedRequest>> {
  const { merchantId, limit } = search;
  const found =
    requestId === undefined
      ? await listApiRequests(database, { ...search, limit: limit + 1 })
      : await findApiRequest(database, { merchantId, requestId });
  return pageOf(found, limit);
}

export type { LoggedRequest } from "../../storage/merchants/api-requests.ts";
