import { Readable } from "node:stream";
import { type Endpoint, encodeJson, type Outgoing } from "@exchange/contract";
import type { Static, TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../flows/deps.ts";
import { runOnce } from "../flows/run-once.ts";
import type { Authorize } from "./auth/authorize.ts";
import type { BrowserCaller, Caller, MerchantCaller } from "./auth/caller.ts";
import { makeValidator, type Validate } from "./validation.ts";
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
}

/** Serves one valid request. The result is the whole body of the success answer; null when it has none. */
export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<Outgoing<Static<E["success"]["schema"]>>>;

export type Register = <const E extends Endpoint>(endpoint: E, handle: Handler<E>) => void;

/** Adds routes to the server from outside `http`. */
export type RegisterRoutes = (parts: {
  readonly app: FastifyInstance;
  readonly register: Register;
  readonly deps: Deps;
}) => void;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The endpoint a route was made from. */
    readonly endpoint?: Endpoint;
  }
}

/** Serves a stream: text as it comes, until the order has ended or nobody listens any more. */
export type StreamHandler<E extends Endpoint> = (
  call: Call<E> & { readonly signal: AbortSignal },
) => Promise<AsyncIterable<string>>;

export type RegisterStream = <const E extends Endpoint>(
  endpoint: E,
  open: StreamHandler<E>,
) => void;

/** Makes routes of endpoints that answer with server-sent events (WHATWG HTML, section 9.2). */
export function makeStreamRegistrar(app: FastifyInstance, authorize: Authorize): RegisterStream {
  const open = new Set<AbortController>();
  app.addHook("preClose", (done) => {
    for (const stream of open) stream.abort();
    done();
  });
  return (endpoint, handle) => {
    const validate = makeRequestValidator(endpoint);
    app.route({
      method: endpoint.method,
      url: routeOf(endpoint),
      config: { endpoint },
      onRequest: [authorize(endpoint)],
      handler: async (request, reply) => {
        validate(request);
        const ended = new AbortController();
        open.add(ended);
        reply.raw.on("close", () => {
          open.delete(ended);
          ended.abort();
        });
        const { caller, params, query, body } = request as unknown as Call<typeof endpoint>;
        const { signal } = ended;
        const events = await handle({ caller, params, query, body, signal });
        reply.header("content-type", "text/event-stream; charset=utf-8");
        // Kept for another request, the connection would hold up a service that closes.
        reply.header("connection", "close");
        // A proxy that buffers would keep the events from the customer.
        return reply.header("x-accel-buffering", "no").send(Readable.from(events));
      },
    });
  };
}

const routeOf = (endpoint: Endpoint): string => `/v1${endpoint.path.replace(/\{(\w+)\}/g, ":$1")}`;

/** Makes routes out of the contract's endpoints: who may call, what is valid, what is answered. */
export function makeRegistrar(app: FastifyInstance, deps: Deps, authorize: Authorize): Register {
  return (endpoint, handle) => {
    if (endpoint.sandboxOnly && deps.environment === "prod") return;
    const validate = makeRequestValidator(endpoint);
    app.route({
      method: endpoint.method,
      url: routeOf(endpoint),
      config: { endpoint },
      onRequest: [authorize(endpoint)],
      handler: async (request, reply) => {
        validate(request);
        const serve = () => handle(request as unknown as Call<typeof endpoint>);
        return sendOnce(deps, { endpoint, request, reply }, serve);
      },
    });
  };
}

function makeRequestValidator(endpoint: Endpoint): (request: FastifyRequest) => void {
  const { params, query, body } = endpoint;
  const checks: [Validate, "params" | "query" | "body"][] = [];
  if (params) checks.push([makeValidator("path", params), "params"]);
  if (query) checks.push([makeValidator("query", query), "query"]);
  if (body) checks.push([makeValidator("body", body), "body"]);
  return (request) => {
    for (const [validate, part] of checks) validate(request[part]);
  };
}

interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function sendOnce(
  deps: Deps,
  exchange: Exchange,
  serve: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { endpoint, request, reply } = exchange;
  if (endpoint.success.status === 204) {
    await serve();
    return reply.code(204).send();
  }
  const work = async () => ({
    status: endpoint.success.status,
    text: encodeJson(await serve()),
  });
  reply.header("content-type", JSON_TYPE);
  if (request.caller.kind !== "merchant" || endpoint.method !== "POST") {
    const { status, text } = await work();
    return reply.code(status).send(text);
  }
  const key = request.headers["idempotency-key"];
  const answer = await runOnce(
    deps,
    {
      merchantId: request.caller.merchant.id,
      key: Array.isArray(key) ? key.join(", ") : key,
      route: `${endpoint.method} ${request.raw.url}`,
      body: request.body,
    },
    work,
  );
  if (answer.isReplayed) reply.header("idempotent-replayed", "true");
  return reply.code(answer.status).send(answer.text);
}
