import { type FastifyReply, type FastifyRequest, LogController } from "fastify";
import type { AccessLogChoice } from "./settings.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The order that the request placed or is about, for the access log. */
    orderId?: string | undefined;
  }
}

const ERROR_STATUS_MIN = 400;
/** The text of the path is the client's, so only an order id is logged. A longer number is not exact in JSON. */
const ORDER_ID = /^\d{1,16}$/;

/**
 * Logs one line for each request, when it ends. The line names the route and not the address, whose
 * query may hold secrets of the customer.
 */
export class AccessLog extends LogController {
  readonly #choice: AccessLogChoice;

  constructor(choice: AccessLogChoice) {
    super({ requestIdLogLabel: "requestId" });
    this.#choice = choice;
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (this.#choice === "off") return;
    if (this.#choice === "errors" && !error && reply.statusCode < ERROR_STATUS_MIN) return;
    const { caller, method, routeOptions } = request;
    const { personId, serviceAccountId } = request.adminCaller?.by.console ?? {};
    const entry = {
      method,
      route: routeOptions.url ?? "unknown",
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      merchantId: caller?.kind === "anybody" ? undefined : caller?.merchant.id,
      orderId: orderIdOf(request),
      personId: personId ?? undefined,
      serviceAccountId,
    };
    // A stranger decides how often this happens, so the line is short and not a warning.
    if (error) request.log.info(entry, "request aborted");
    else request.log.info(entry, "request");
  }
}

/** Returns the id of the order that the request is about, and nothing else that its client wrote. */
export function orderIdOf({ orderId, params }: FastifyRequest): string | undefined {
  const named = orderId ?? (params as { readonly orderId?: unknown } | undefined)?.orderId;
  const isOrderId = ORDER_ID.test(String(named)) && Number.isSafeInteger(Number(named));
  return isOrderId ? String(named) : undefined;
}
