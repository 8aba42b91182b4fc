import { isBodyOptional, WIRE_LIMITS } from "@exchange/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseJsonBody } from "./parse.ts";

/** Reads JSON bodies and no others. A body may be absent where the endpoint requires none of its members. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    const bytes = await request.receiveBody(WIRE_LIMITS.requestBodyBytesMax);
    const { endpoint, adminEndpoint } = request.routeOptions.config;
    const body = (endpoint ?? adminEndpoint)?.body;
    const isOptional = body === undefined || isBodyOptional(body);
    return isOptional && bytes.length === 0 ? undefined : parseJsonBody(bytes);
  });
}
