import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../flows/deps.ts";
import { FAILED_STATUS_MIN, makeRequestLog } from "../flows/merchants/request-log.ts";
import type { Refusal } from "../flows/refusal.ts";
import { orderIdOf } from "./access-log.ts";
import { flushRegularly } from "./flush-regularly.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The code of the error answer. */
    errorCode?: string | undefined;
    /** Words of a refusal that are not in its answer, such as the key whose secret was wrong. */
    refusedFor?: Refusal["logged"];
  }
}

const FLUSH_MS = 1_000;

/**
 * Keeps the calls of merchants' servers, and the failed ones of their customers' browsers, for the merchant's
 * developers. A call whose credentials were refused counts for the merchant of its key, if there is such a key.
 */
export function logRequests(app: FastifyInstance, deps: Deps): void {
  const requests = makeRequestLog(deps);
  flushRegularly(app, requests, FLUSH_MS);
  app.addHook("onResponse", (request, reply, done) => {
    const holder = holderOf(deps, request, reply);
    const { endpoint } = request.routeOptions.config;
    if (holder && endpoint) {
      requests.note({
        ...holder,
        requestId: request.id,
        // A HEAD request is a call of the GET.
        method: endpoint.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        code: request.errorCode ?? null,
        orderId: orderIdOf(request) ?? null,
        milliseconds: Math.round(reply.elapsedTime),
      });
    }
    done();
  });
}

interface Holder {
  readonly merchantId: string;
  readonly keyId: string | null;
  readonly reason: string | null;
}

/** Returns the merchant in whose log the call belongs. Undefined where it belongs in none. */
function holderOf(
  { directory }: Pick<Deps, "directory">,
  { caller, refusedFor }: FastifyRequest,
  { statusCode }: FastifyReply,
): Holder | undefined {
  const reason = textOf(refusedFor?.["reason"]);
  switch (caller.kind) {
    case "merchant":
      return { merchantId: caller.merchant.id, keyId: caller.keyId, reason };
    case "browser":
      return statusCode < FAILED_STATUS_MIN
        ? undefined
        : { merchantId: caller.merchant.id, keyId: null, reason };
    case "anybody": {
      const keyId = textOf(refusedFor?.["keyId"]);
      const key = keyId === null ? undefined : directory().apiKey(keyId);
      return key && { merchantId: key.merchantId, keyId: key.id, reason };
    }
  }
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
