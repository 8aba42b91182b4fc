import { finished, Readable } from "node:stream";
import type { Outgoing } from "@exchange/contract";
import {
  type AdminEndpoint,
  isRoleName,
  type Permission,
  permissionsOf,
} from "@exchange/contract/admin";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { callerNetwork } from "../../domain/merchants/networks.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { steppedUpUntil } from "../../domain/people/person.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  actorOf,
  type PeopleDeps,
  type RequestOrigin,
  requireSession,
  type SignedIn,
} from "../../flows/people/open-session.ts";
import { Refusal } from "../../flows/refusal.ts";
import { CONSOLE_STREAM_LIMITS, makeOpenStreams } from "../limits/open-streams.ts";
import { makeRateLimiter, type RateLimiter } from "../limits/rate-limiter.ts";
import { sendEvents } from "../registrar.ts";
import { cookieOf, readCookie } from "./cookies.ts";

/** The dependencies of the console's calls. */
export type AdminDeps = Deps & PeopleDeps;

type Part<E extends AdminEndpoint, Name extends "params" | "query" | "body"> = E extends {
  readonly [Key in Name]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : undefined;

/** One valid request that its caller may make. */
export interface AdminCall<E extends AdminEndpoint> {
  readonly caller: E["caller"] extends "person" ? AdminCaller : undefined;
  readonly origin: RequestOrigin;
  readonly params: Part<E, "params">;
  readonly query: Part<E, "query">;
  readonly body: Part<E, "body">;
  /** The secret of a sign-in at the identity provider that this browser began. */
  readonly signInSecret: string | undefined;
  /** Aborts when the answer must end. Only the answer of a stream lasts long enough. */
  readonly signal: E extends { readonly stream: true } ? AbortSignal : undefined;
  /** Sets the cookie of a new session, or with null clears it. */
  setSession(token: string | null): void;
  /** Sets the cookie of a sign-in at the identity provider, or with null clears it. */
  setSignIn(secret: string | null): void;
}

/** A person in a session, with their rights. */
export interface AdminCaller extends SignedIn {
  /** The person as flows and the log name them. */
  readonly by: Operator;
  /** The only merchant whose data the person may see; null for a person of the operator. */
  readonly merchantId: string | null;
  may(permission: Permission): boolean;
}

/** Returns the merchant of a person who calls an endpoint of merchants' people. */
export function ownMerchant({ merchantId }: AdminCaller): string {
  if (merchantId === null) throw new Error("The endpoint's row lets people of the operator in.");
  return merchantId;
}

/** A file, in parts that are sent one after another. */
export interface Download {
  readonly name: string;
  readonly type: string;
  readonly parts: readonly string[];
}

type AdminAnswer<E extends AdminEndpoint> = E extends { readonly download: readonly string[] }
  ? Download
  : E extends { readonly stream: true }
    ? AsyncIterable<string>
    : Outgoing<Static<E["success"]["schema"]>>;

export type AdminHandler<E extends AdminEndpoint> = (call: AdminCall<E>) => Promise<AdminAnswer<E>>;

export type RegisterAdmin = <const E extends AdminEndpoint>(
  endpoint: E,
  handle: AdminHandler<E>,
) => void;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The endpoint of the console that a route was made from. */
    readonly adminEndpoint?: AdminEndpoint;
  }
  interface FastifyRequest {
    /** The person who calls the console; undefined before the session is read, and where none is needed. */
    person: AdminCaller | undefined;
  }
}

const NO_PARAMETERS = Type.Object({});
const MINUTE_MS = 60_000;
/** The calls of one session, of one address without a session, and those with an unknown cookie, in a minute. */
const CALLS_PER_MINUTE = { session: 600, address: 120, unknownCookie: 60 } as const;
/** The files that are made or sent at once: those of one merchant or of one person of the operator, and all. */
const FILES_MAX = { owner: 2, all: 8 } as const;
/** More sessions than are open at once. */
const SEEN_SESSIONS_MAX = 10_000;

/**
 * Makes routes of the console's endpoints. Every check comes from the endpoint's row: the origin, the session, the
 * right, the kind of person and the fresh proof, in this order and before the body is read. A body may arrive slowly,
 * so the session and the rights are checked again before a change.
 */
export function makeAdminRegistrar(app: FastifyInstance, deps: AdminDeps): RegisterAdmin {
  const window = { windowMs: MINUTE_MS, nowMs: Date.now };
  const limits = {
    session: makeRateLimiter({ limit: CALLS_PER_MINUTE.session, ...window }),
    address: makeRateLimiter({ limit: CALLS_PER_MINUTE.address, ...window }),
  };
  const callerOf = makeFindCaller(
    deps,
    makeRateLimiter({ limit: CALLS_PER_MINUTE.unknownCookie, ...window }),
  );
  const takeFile = makeTakeFile();
  const takeStream = makeTakeStream(app, deps);
  return (endpoint, handle) => {
    const { method, path, params, query, body, success } = endpoint;
    app.route({
      method,
      url: `/v1${path.replace(/\{(\w+)\}/g, ":$1")}`,
      config: { adminEndpoint: endpoint },
      schema: {
        ...(params && { params }),
        querystring: query ?? NO_PARAMETERS,
        ...(body && { body }),
      },
      onRequest: async (request) => {
        requireOwnPage(request, deps.consoleUrl);
        if (endpoint.caller === "anybody") return take(limits.address, callerNetwork(request.ip));
        const caller = await callerOf(request);
        take(limits.session, caller.session.id);
        requireRights(caller, endpoint);
        request.person = caller;
      },
      preHandler: async (request) => {
        if (endpoint.caller === "anybody" || method === "GET") return;
        const caller = await callerOf(request);
        requireRights(caller, endpoint);
        request.person = caller;
      },
      handler: async (request, reply) => {
        if (endpoint.download) takeFile(request, reply);
        const signal = endpoint.stream && takeStream(request, reply);
        const answer = await handle({
          ...callOf<typeof endpoint>(request, reply, deps),
          signal,
        } as AdminCall<typeof endpoint>);
        const { status } = success;
        if (endpoint.stream) return sendEvents(reply, answer as AsyncIterable<string>);
        if (endpoint.download) return sendFile(reply, answer as Download);
        return status === 204 ? reply.code(204).send() : reply.code(status).send(answer);
      },
    });
  };
}

/** A file is in memory until its reader has it, however slowly that reads. */
function makeTakeFile() {
  const owners: string[] = [];
  return ({ person }: FastifyRequest, reply: FastifyReply): void => {
    const owner = person?.merchantId ?? person?.person.id ?? "";
    const own = owners.filter((one) => one === owner);
    if (own.length >= FILES_MAX.owner || owners.length >= FILES_MAX.all) {
      throw new Refusal("SERVICE_UNAVAILABLE", {
        message: "Other files are being made or sent. Try again in a few seconds.",
      });
    }
    owners.push(owner);
    finished(reply.raw, () => owners.splice(owners.indexOf(owner), 1));
  };
}

/** Returns the signal that ends the stream of a request: when it is too old, and when the server closes. */
function makeTakeStream(app: FastifyInstance, { metrics }: Pick<AdminDeps, "metrics">) {
  const streams = makeOpenStreams(CONSOLE_STREAM_LIMITS);
  app.addHook("preClose", (done) => {
    streams.endAll();
    done();
  });
  return ({ person }: FastifyRequest, reply: FastifyReply): AbortSignal => {
    if (person === undefined) throw new Error("A stream needs a person.");
    const stream = streams.open(person.person.id);
    metrics.eventStreams.inc();
    finished(reply.raw, () => {
      stream.end();
      metrics.eventStreams.dec();
    });
    return stream.signal;
  };
}

const sendFile = (reply: FastifyReply, { name, type, parts }: Download): FastifyReply =>
  reply
    .headers({
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${name}"`,
    })
    .send(Readable.from(parts));

/**
 * Refuses a call that another site's page makes. The cookie is `SameSite=Strict`, so such a call would have no
 * session either.
 */
function requireOwnPage({ method, headers }: FastifyRequest, consoleUrl: string): void {
  const site = headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const { origin } = headers;
  const isOwn = origin === undefined ? method === "GET" : origin === new URL(consoleUrl).origin;
  if (isOwn && !isForeign) return;
  throw new Refusal("ORIGIN_NOT_ALLOWED", {
    message: `Only pages of ${new URL(consoleUrl).origin} may make this call. Send that Origin, or correct EXCHANGE_CONSOLE_URL.`,
  });
}

function take(limiter: RateLimiter, key: string): void {
  if (!limiter.take(key).allowed) throw new Refusal("RATE_LIMITED");
}

const originOf = (
  { ip, headers }: FastifyRequest,
  { consoleUrl }: Pick<AdminDeps, "consoleUrl">,
): RequestOrigin => ({
  address: ip,
  browser: headers["user-agent"] ?? "unknown",
  earlierToken: readCookie("session", headers.cookie, consoleUrl),
});

/**
 * Makes the function that finds the person of a request. An address that sends unknown cookies is refused before the
 * database is asked. A cookie that has named a session passes, so strangers cannot shut their neighbours out.
 */
function makeFindCaller(deps: AdminDeps, unknownCookies: RateLimiter) {
  const seen = new LRUCache<string, true>({ max: SEEN_SESSIONS_MAX });
  return async (request: FastifyRequest): Promise<AdminCaller> => {
    const token = readCookie("session", request.headers.cookie, deps.consoleUrl);
    if (token === undefined) throw new Refusal("SIGN_IN_REQUIRED");
    if (!seen.has(token)) take(unknownCookies, callerNetwork(request.ip));
    seen.delete(token);
    const signedIn = await requireSession(deps, { token, address: request.ip });
    seen.set(token, true);
    return withRights(signedIn, request);
  };
}

function withRights(signedIn: SignedIn, request: FastifyRequest): AdminCaller {
  const { person } = signedIn;
  const rights = permissionsOf(person.roles.filter(isRoleName));
  return {
    ...signedIn,
    by: actorOf(person, request.ip),
    merchantId: person.merchantId,
    may: (permission) => rights.includes(permission),
  };
}

/** Refuses ROLE_REQUIRED and STEP_UP_REQUIRED, by the endpoint's row. */
function requireRights(caller: AdminCaller, { permission, kind, stepUp }: AdminEndpoint): void {
  const isOfKind = kind === undefined || (caller.merchantId === null) === (kind === "operator");
  if (!isOfKind || (permission !== undefined && !caller.may(permission))) {
    throw new Refusal("ROLE_REQUIRED", { logged: { person: caller.person.email } });
  }
  if (stepUp && steppedUpUntil(caller.session).getTime() <= Date.now()) {
    throw new Refusal("STEP_UP_REQUIRED");
  }
}

/** Fastify has validated the parts of the request by the endpoint's schemas. */
function callOf<E extends AdminEndpoint>(
  request: FastifyRequest,
  reply: FastifyReply,
  { consoleUrl }: Pick<AdminDeps, "consoleUrl">,
): AdminCall<E> {
  const { person, params, query, body, headers } = request;
  return {
    caller: person,
    origin: originOf(request, { consoleUrl }),
    params,
    query,
    body,
    signInSecret: readCookie("sign_in", headers.cookie, consoleUrl),
    setSession: (token: string | null) => {
      reply.header("set-cookie", cookieOf("session", token, consoleUrl));
    },
    setSignIn: (secret: string | null) => {
      reply.header("set-cookie", cookieOf("sign_in", secret, consoleUrl));
    },
  } as AdminCall<E>;
}
