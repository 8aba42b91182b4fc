import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseJsonBody } from "./parse.ts";

/** Reads JSON bodies and no others. A body may be absent where the endpoint has none. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (request: FastifyRequest, bytes: Buffer, done) => {
      const { endpoint, adminEndpoint } = request.routeOptions.config;
      const isOptional = (endpoint ?? adminEndpoint)?.body === undefined;
      try {
        done(null, isOptional && bytes.length === 0 ? undefined : parseJsonBody(bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
