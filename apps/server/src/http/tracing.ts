import type { FastifyInstance } from "fastify";
import type { RequestSpan } from "../domain/ports/tracing.ts";
import type { Deps } from "../flows/deps.ts";
import { orderIdOf } from "./access-log.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Absent where the process is not traced. */
    span?: RequestSpan | undefined;
  }
}

/** Records a span for each request, if the process is traced. */
export function traceRequests(app: FastifyInstance, { tracing }: Pick<Deps, "tracing">): void {
  if (tracing === undefined) return;
  app.addHook("onRequest", (request, _reply, done) => {
    const { traceparent } = request.headers;
    request.span = tracing.startRequest(typeof traceparent === "string" ? traceparent : undefined);
    done();
  });
  // A body is read on the events of its socket, which do not belong to the request. Work begins after it.
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.span) request.span.within(done);
    else done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method, caller, routeOptions } = request;
    const route = routeOptions.url ?? "unknown";
    request.span?.end({
      name: `${method} ${route}`,
      status: reply.statusCode,
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": reply.statusCode,
        "exchange.request.id": request.id,
        "exchange.merchant.id": caller?.kind === "anybody" ? undefined : caller?.merchant.id,
        "exchange.order.id": orderIdOf(request),
      },
    });
    done();
  });
}
