import { isBodyOptional, WIRE_LIMITS } from "@exchange/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import { parseJsonBody } from "./parse.ts";

/** Reads JSON bodies and no others. A body may be absent where the endpoint requires none of its members. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    refuseEncoding(request.headers["content-encoding"]);
    const bytes = await request.receiveBody(WIRE_LIMITS.requestBodyBytesMax);
    const { endpoint, adminEndpoint } = request.routeOptions.config;
    const body = (endpoint ?? adminEndpoint)?.body;
    const isOptional = body === undefined || isBodyOptional(body);
    return isOptional && bytes.length === 0 ? undefined : parseJsonBody(bytes);
  });
}

/** A compressed body is refused, because a few bytes of it may stand for gigabytes. */
function refuseEncoding(encoding = "identity"): void {
  if (encoding.toLowerCase() === "identity") return;
  throw new Refusal("UNSUPPORTED_MEDIA_TYPE", {
    message: `The body has the content encoding "${encoding.slice(0, 40)}", and only uncompressed bodies are read. Send it uncompressed, without the header Content-Encoding.`,
    details: [{ path: "headers.content-encoding", issue: "must be absent" }],
  });
}
