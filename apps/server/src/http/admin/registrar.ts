import { finished, Readable } from "node:stream";
import type { Outgoing } from "@exchange/contract";
import type { AdminEndpoint } from "@exchange/contract/admin";
import type { Static, TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerNetwork } from "../../domain/merchants/networks.ts";
import type { Deps } from "../../flows/deps.ts";
import type { PeopleDeps, RequestOrigin } from "../../flows/people/open-session.ts";
import { Refusal } from "../../flows/refusal.ts";
import { CONSOLE_STREAM_LIMITS, streamsOf } from "../limits/open-streams.ts";
import { makeRateLimiter, steadyMs } from "../limits/rate-limiter.ts";
import { routeOf, sendEvents } from "../registrar.ts";
import {
  type AdminCaller,
  bearerOf,
  makeFindCaller,
  requireRights,
  type SignedInCaller,
  take,
} from "./callers.ts";
import { cookieOf, readCookie } from "./cookies.ts";

/** The dependencies of the console's calls. */
export type AdminDeps = Deps & PeopleDeps;

type Part<E extends AdminEndpoint, Name extends "params" | "query" | "body"> = E extends {
  readonly [Key in Name]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : undefined;

/** A service account has some right, and no account of its own. */
type CallerOf<E extends AdminEndpoint> = E["caller"] extends "person"
  ? E extends { readonly permission: string }
    ? AdminCaller
    : SignedInCaller
  : undefined;

/** One valid request that its caller may make. */
export interface AdminCall<E extends AdminEndpoint> {
  readonly caller: CallerOf<E>;
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
    /** The caller of the console; undefined before the session or key is read, and where none is needed. */
    adminCaller: AdminCaller | undefined;
  }
}

const MINUTE_MS = 60_000;
/** The calls of one caller, of one address without a session, and those with an unknown cookie or key, in a minute. */
const CALLS_PER_MINUTE = { caller: 600, address: 120, unknown: 60 } as const;
/** The files that are made or sent at once: those of one merchant or of one person of the operator, and all. */
const FILES_MAX = { owner: 2, all: 8 } as const;

/**
 * Makes routes of the console's endpoints. Every check comes from the endpoint's row. The checks are the origin, the
 * session or key, the right, the kind of person and the fresh proof, in this order and before the body is read. A
 * body may arrive slowly, so the session or key and the rights are checked again before a change.
 */
export function makeAdminRegistrar(
  app: FastifyInstance,
  deps: AdminDeps,
  { failedKeysPerFiveMinutes }: { readonly failedKeysPerFiveMinutes: number },
): RegisterAdmin {
  const window = { windowMs: MINUTE_MS, nowMs: steadyMs };
  const limits = {
    caller: makeRateLimiter({ limit: CALLS_PER_MINUTE.caller, ...window }),
    address: makeRateLimiter({ limit: CALLS_PER_MINUTE.address, ...window }),
  };
  const callerOf = makeFindCaller(deps, {
    unknown: makeRateLimiter({ limit: CALLS_PER_MINUTE.unknown, ...window }),
    failedKeysPerFiveMinutes,
  });
  const takeFile = makeTakeFile();
  const takeStream = streamsOf(app, CONSOLE_STREAM_LIMITS, deps.metrics);
  return (endpoint, handle) => {
    const { method, success } = endpoint;
    app.route({
      ...routeOf(endpoint),
      config: { adminEndpoint: endpoint },
      onRequest: async (request) => {
        requireOwnPage(request, endpoint, deps.consoleUrl);
        if (endpoint.caller === "anybody") return take(limits.address, callerNetwork(request.ip));
        const caller = await callerOf(request);
        take(limits.caller, callerKeyOf(caller));
        requireRights(caller, endpoint);
        request.adminCaller = caller;
      },
      preHandler: async (request) => {
        if (endpoint.caller === "anybody" || method === "GET") return;
        const caller = await callerOf(request);
        requireRights(caller, endpoint);
        request.adminCaller = caller;
      },
      handler: async (request, reply) => {
        if (endpoint.download) takeFile(request, reply);
        const signal = endpoint.stream && takeStream(holderOfStream(request), reply);
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
  return ({ adminCaller }: FastifyRequest, reply: FastifyReply): void => {
    const owner = adminCaller?.merchantId ?? adminCaller?.by.account ?? "";
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

function holderOfStream({ adminCaller }: FastifyRequest): string {
  if (adminCaller === undefined) throw new Error("A stream needs a person.");
  return adminCaller.by.account;
}

const sendFile = (reply: FastifyReply, { name, type, parts }: Download): FastifyReply =>
  reply
    .headers({
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${name}"`,
    })
    .send(Readable.from(parts));

/** Each session has calls of its own, and each service account. */
const callerKeyOf = (caller: AdminCaller | SignedInCaller): string =>
  "session" in caller ? caller.session.id : caller.by.account;

/**
 * Refuses a call that another site's page makes. The cookie is `SameSite=Strict`, so such a call would have no
 * session either. A program with a key names no origin: its call counts no cookie, and no page can add the key.
 */
function requireOwnPage(
  request: FastifyRequest,
  { caller }: AdminEndpoint,
  consoleUrl: string,
): void {
  const { method, headers } = request;
  const hasKey = caller === "person" && bearerOf(request) !== undefined;
  const site = headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const { origin } = headers;
  const isOwn =
    origin === undefined ? method === "GET" || hasKey : origin === new URL(consoleUrl).origin;
  if (isOwn && !isForeign) return;
  throw new Refusal("ORIGIN_NOT_ALLOWED", {
    message: `Only pages of ${new URL(consoleUrl).origin} may make this call. Send that Origin, or correct EXCHANGE_CONSOLE_URL.`,
  });
}

const originOf = (
  { ip, headers }: FastifyRequest,
  { consoleUrl }: Pick<AdminDeps, "consoleUrl">,
): RequestOrigin => ({
  address: ip,
  browser: headers["user-agent"] ?? "unknown",
  earlierToken: readCookie("session", headers.cookie, consoleUrl),
});

/** Fastify has validated the parts of the request by the endpoint's schemas. */
function callOf<E extends AdminEndpoint>(
  request: FastifyRequest,
  reply: FastifyReply,
  { consoleUrl }: Pick<AdminDeps, "consoleUrl">,
): AdminCall<E> {
  const { adminCaller, params, query, body, headers } = request;
  return {
    caller: adminCaller,
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
