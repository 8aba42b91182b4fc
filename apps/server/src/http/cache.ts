import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Deps } from "../flows/deps.ts";
import { acceptedEncoding, isNotModified } from "./representation.ts";

type Snapshots = Pick<Deps, "catalogue" | "directory">;

/** The configuration that an answer was made from. Every change makes another object. */
interface Version {
  readonly catalogue: unknown;
  readonly directory: unknown;
}

interface CachedAnswer extends Version {
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, because a text would be encoded again for each answer. */
  readonly payload: Buffer;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The configuration before the handler ran; set in the scope of `cacheAnswers` only. */
    configuration: Version | null;
  }
  interface FastifyContextConfig {
    /** Names the answer to a request. Absent, the address does. */
    readonly cacheKey?: (request: FastifyRequest) => string;
  }
}

const CACHED_BYTES_MAX = 32 * 1024 * 1024;

/** Headers that belong to the body. All others belong to one request, such as its id. */
const BODY_HEADERS = [
  "content-type",
  "content-encoding",
  "etag",
  "vary",
  "cache-control",
  "cross-origin-resource-policy",
  "access-control-allow-origin",
  "timing-allow-origin",
];

/**
 * Caches the successful answers of every GET route of a scope, by merchant and address, until the catalogue or any
 * merchant changes. The answers used least recently make room. The lookup comes after authentication, rate limit and
 * validation, so a hit is counted and logged as every other request.
 */
export function cacheAnswers(scope: FastifyInstance, snapshots: Snapshots): void {
  const answers = new LRUCache<string, CachedAnswer>({
    maxSize: CACHED_BYTES_MAX,
    sizeCalculation: ({ payload }, key) => payload.length + key.length + 1,
  });
  scope.decorateRequest("configuration", null);
  scope.addHook("preHandler", (request, reply, done) => {
    const version = { catalogue: snapshots.catalogue(), directory: snapshots.directory() };
    const answer = answers.get(keyOf(request));
    if (answer && isOfVersion(answer, version)) {
      sendCached({ request, reply }, answer);
      return;
    }
    // Read before the handler runs. Otherwise a change during the handler would be cached as newer.
    request.configuration = version;
    done();
  });
  scope.addHook("onSend", async (request, reply, payload) => {
    const { configuration: version } = request;
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (version && isWhole && reply.statusCode === 200 && request.method === "GET") {
      const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
      answers.set(keyOf(request), { ...version, headers: bodyHeaders(reply), payload: bytes });
    }
    return payload;
  });
}

const isOfVersion = (answer: Version, version: Version): boolean =>
  answer.catalogue === version.catalogue && answer.directory === version.directory;

function keyOf(request: FastifyRequest): string {
  const { caller, headers, raw, routeOptions } = request;
  const merchantId = caller.kind === "anybody" ? "" : caller.merchant.id;
  const name = routeOptions.config.cacheKey?.(request) ?? raw.url;
  return `${merchantId} ${acceptedEncoding(headers["accept-encoding"]) ?? ""} ${name}`;
}

function sendCached(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { headers, payload }: CachedAnswer,
): void {
  const { etag } = headers;
  reply.headers(headers);
  if (etag === undefined || !isNotModified(request, etag)) {
    reply.send(payload);
    return;
  }
  reply.removeHeader("content-type").removeHeader("content-encoding").code(304).send();
}

function bodyHeaders(reply: FastifyReply): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of BODY_HEADERS) {
    const value = reply.getHeader(name);
    // An origin that is named belongs to its request.
    const isOfRequest = name === "access-control-allow-origin" && value !== "*";
    if (value !== undefined && !isOfRequest) headers[name] = String(value);
  }
  return headers;
}
