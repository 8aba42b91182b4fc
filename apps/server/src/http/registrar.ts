import { Readable } from "node:stream";
import { type Endpoint, encodeJson, type Outgoing, servedEndpoint } from "@exchange/contract";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../flows/deps.ts";
import { runOnce } from "../flows/run-once.ts";
import type { Authorize } from "./auth/authorize.ts";
import type { BrowserCaller, Caller, MerchantCaller } from "./auth/caller.ts";
import { STREAM_LIMITS, streamsOf } from "./limits/open-streams.ts";
import { makeScanLimit } from "./limits/scan-limit.ts";
import { JSON_TYPE } from "./wire.ts";

type Part<E extends Endpoint, Name extends "params" | "query" | "body"> = E extends {
  readonly [Key in Name]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : undefined;

type CallerOf<E extends Endpoint> = E["caller"] extends "merchant"
  ? MerchantCaller
  : E["caller"] extends "browser"
    ? BrowserCaller
    : Caller;

/** One valid request to an endpoint. */
export interface Call<E extends Endpoint> {
  readonly caller: CallerOf<E>;
  readonly params: Part<E, "params">;
  readonly query: Part<E, "query">;
  readonly body: Part<E, "body">;
  /**
   * The dependencies of this request. A merchant's POST writes through them, so that its effect and
   * the answer of its Idempotency-Key are one database transaction.
   */
  readonly deps: Deps;
  /** The Idempotency-Key of a merchant's POST, when there is one. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Serves one valid request and returns the whole body of the success answer; null when there is no
 * body.
 */
export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<Outgoing<Static<E["success"]["schema"]>>>;

export type Register = <const E extends Endpoint>(endpoint: E, handle: Handler<E>) => void;

/** Registers calls whose answers are cached by merchant and address. So no handler of them sees its caller. */
export type RegisterCached = <const E extends Endpoint>(
  endpoint: E,
  handle: (call: Pick<Call<E>, "params" | "query">) => ReturnType<Handler<E>>,
) => void;

/** Adds routes to the server from outside `http`. */
export type RegisterRoutes = (parts: {
  readonly app: FastifyInstance;
  readonly register: Register;
  readonly deps: Deps;
}) => void;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The endpoint that a route was made from. */
    readonly endpoint?: Endpoint;
  }
}

/** Serves a stream of text until it ends or the signal reports that the client left. */
export type StreamHandler<E extends Endpoint> = (
  call: Call<E> & { readonly signal: AbortSignal },
) => Promise<AsyncIterable<string>>;

export type RegisterStream = <const E extends Endpoint>(
  endpoint: E,
  open: StreamHandler<E>,
) => void;

/** Makes routes of endpoints that answer with server-sent events (WHATWG HTML, section 9.2). */
export function makeStreamRegistrar(
  app: FastifyInstance,
  deps: Deps,
  authorize: Authorize,
): RegisterStream {
  const takeStream = streamsOf(app, STREAM_LIMITS, deps.metrics);
  return (endpoint, handle) => {
    app.route({
      ...routeOf(endpoint),
      onRequest: authorize(endpoint),
      config: { endpoint, isUnbounded: true, isStream: true },
      handler: async (request, reply) => {
        const signal = takeStream(holderOfStream(request.caller), reply);
        const events = await handle({ ...callOf<typeof endpoint>(request, deps), signal });
        return sendEvents(reply, events);
      },
    });
  };
}

/** Answers with server-sent events. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<string>): FastifyReply {
  reply.header("content-type", "text/event-stream; charset=utf-8");
  // Closed after the stream: a connection kept open would delay the shutdown of the service.
  reply.header("connection", "close");
  // A proxy that buffers would delay the events.
  return reply.header("x-accel-buffering", "no").send(Readable.from(events));
}

/** A session has one valid token, so a stream of a replaced token ends for the new one's. */
function holderOfStream(caller: Caller): string {
  if (caller.kind === "anybody") throw new Error("A stream needs a caller with credentials.");
  if (caller.kind === "merchant") return caller.merchant.id;
  return `${caller.merchant.id} ${caller.session.sessionId}`;
}

/** Makes routes of the contract's endpoints: authorization, validation and the answer. */
export function makeRegistrar(app: FastifyInstance, deps: Deps, authorize: Authorize): Register {
  const limitScans = makeScanLimit({ connectionsMax: deps.database.connectionsMax });
  const installation = {
    environment: deps.environment,
    takesCards: deps.cardProcessor?.tokens !== undefined,
  };
  return (listed, handle) => {
    const endpoint = servedEndpoint(listed, installation);
    if (!endpoint) return;
    const { status } = endpoint.success;
    app.route({
      ...routeOf(endpoint),
      config: { endpoint },
      onRequest: authorize(endpoint),
      handler: (request, reply) => {
        const { caller } = request;
        const merchantId = caller.kind === "merchant" ? caller.merchant.id : undefined;
        const serve = (joined: Deps) => handle(callOf<typeof endpoint>(request, joined));
        return limitScans({ endpoint, merchantId }, async () => {
          if (caller.kind === "merchant" && endpoint.method === "POST") {
            return sendOnce(deps, { endpoint, caller, request, reply }, serve);
          }
          const body = await serve(deps);
          noteOrder(request, body);
          // The request was refused at its deadline.
          if (reply.sent) return reply;
          return status === 204 ? reply.code(204).send() : reply.code(status).send(body);
        });
      },
    });
  };
}

/** Names the order of an answer for the access log: a request that places an order has no id of it. */
function noteOrder(request: FastifyRequest, body: unknown): void {
  const { data } = (body ?? {}) as { readonly data?: { readonly orderId?: number } };
  if (data?.orderId !== undefined) request.orderId = `${data.orderId}`;
}

/** An endpoint of the interface or of the console. */
type RoutedEndpoint = Pick<Endpoint, "method" | "path" | "params" | "query" | "body">;

/** A query that no endpoint documents is refused, not ignored. */
const NO_PARAMETERS = Type.Object({});
/** A member of a body that takes none is refused too. The body itself may be absent. */
const NO_MEMBERS = Type.Object({}, { additionalProperties: false });

/** Returns the method, the address and the schemas of an endpoint's route. */
export function routeOf({ method, path, params, query, body }: RoutedEndpoint) {
  return {
    method,
    url: `/v1${path.replace(/\{(\w+)\}/g, ":$1")}`,
    schema: {
      ...(params && { params }),
      querystring: query ?? NO_PARAMETERS,
      ...(method !== "GET" && { body: body ?? NO_MEMBERS }),
    },
  };
}

/** Fastify has validated the parts of the request by the endpoint's schemas. */
function callOf<E extends Endpoint>(request: FastifyRequest, deps: Deps): Call<E> {
  const { caller, params, query, body } = request;
  return { caller, params, query, body, deps, idempotencyKey: keyOf(request) } as Call<E>;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}

interface MerchantRequest {
  readonly endpoint: Endpoint;
  readonly caller: MerchantCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers a merchant's POST once for each Idempotency-Key. A repeat gets the stored text. */
async function sendOnce(
  deps: Deps,
  { endpoint, caller, request, reply }: MerchantRequest,
  serve: (deps: Deps) => Promise<unknown>,
): Promise<FastifyReply> {
  const answer = await runOnce(
    deps,
    {
      merchantId: caller.merchant.id,
      scopes: caller.keyScopes,
      key: keyOf(request),
      route: `${endpoint.method} ${request.raw.url}`,
      // A call without a body repeats one with an empty object.
      body: request.body ?? {},
    },
    async (joined) => ({
      status: endpoint.success.status,
      text: encodeJson(await serve(joined)),
    }),
  );
  // The request was refused at its deadline. A repetition of it receives the stored answer.
  if (reply.sent) return reply;
  if (answer.isReplayed) reply.header("idempotent-replayed", "true");
  return reply.code(answer.status).header("content-type", JSON_TYPE).send(answer.text);
}
