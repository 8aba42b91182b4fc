import { encodeJson, SessionId, WIRE_LIMITS } from "@exchange/contract";
import type { TSchema } from "@sinclair/typebox";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Deps } from "../flows/deps.ts";
import { type KeyUses, makeKeyUses } from "../flows/merchants/key-uses.ts";
import { Refusal } from "../flows/refusal.ts";
import { makeAuthorize } from "./auth/authorize.ts";
import { parseJsonBody } from "./body/parse.ts";
import { cacheAnswers } from "./cache.ts";
import { registerCallbacks } from "./callbacks/routes.ts";
import { registerCatalogue } from "./catalogue/routes.ts";
import { registerEndpoints } from "./endpoints.ts";
import { answerClientError, presentError } from "./errors/answer.ts";
import { makeRateLimiters } from "./limits/rate-limits.ts";
import { limitStrangers, showLimit } from "./limits/strangers.ts";
import { registerOrderEvents } from "./orders/events.ts";
import { registerPages } from "./pages/pages.ts";
import { makeRegistrar, makeStreamRegistrar, type RegisterRoutes } from "./registrar.ts";
import { registerScript } from "./script/script.ts";
import { baseHeaders } from "./security-headers.ts";
import { makeSecurityLog, type SecurityLog } from "./security-log.ts";
import type { HttpSettings } from "./settings.ts";
import { answerUnknownRoutes } from "./unknown-routes.ts";
import { compileValidator } from "./validation.ts";
import { JSON_TYPE } from "./wire.ts";

/**
 * A body over the limit is read up to this size, so that its sender gets an answer and not a reset.
 */
const BODY_READ_BYTES_MAX = 16 * WIRE_LIMITS.requestBodyBytesMax;
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** A connection on which no byte moves for this long is closed, also one that reads no answer. */
const IDLE_TIMEOUT_MS = 45_000;
/** Bounds the answers that a client can make us hold by sending requests and reading none. */
const REQUESTS_PER_CONNECTION_MAX = 1_000;
const CONNECTIONS_MAX = 8_192;
const KEY_USES_FLUSH_MS = 5_000;

/** Builds the HTTP server with every route of the service. It does not listen yet. */
export function buildHttpServer(
  deps: Deps,
  settings: HttpSettings,
  registerExtension?: RegisterRoutes,
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const app = fastify({
    loggerInstance,
    logController: new AccessLog({ requestIdLogLabel: "requestId" }),
    bodyLimit: BODY_READ_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_CONNECTION_MAX,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    // The longest parameter is a session id, whose characters may take two code units each.
    routerOptions: { maxParamLength: 2 * (SessionId.maxLength ?? 0) },
    trustProxy: settings.trustedProxies ? [...settings.trustedProxies] : false,
    // A client's own X-Request-Id is ignored, because ours must be unique.
    requestIdHeader: false,
    genReqId: () => deps.ids.uuid(),
    return503OnClosing: false,
    clientErrorHandler: answerClientError(deps),
    frameworkErrors: (error, request, reply) => {
      showLimit(limiters, request, reply);
      answerError(deps, error, { request, reply });
    },
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  const securityLog = makeSecurityLog(app, deps);
  prepareAnswers(app, deps, securityLog);
  const limiters = makeRateLimiters(app, deps, settings.rateLimits);
  limitStrangers(app, limiters);
  readJsonOnly(app);
  const otherMethods = answerUnknownRoutes(app);
  app.addHook("onSend", async (request, reply) => showLimit(limiters, request, reply));
  const keyUses = makeKeyUses(deps, (use) => securityLog.newAddress(use));
  flushRegularly(app, keyUses);
  const authorize = makeAuthorize({ deps, limiters, keyUses });
  const register = makeRegistrar(app, deps, authorize);
  registerEndpoints(register, deps);
  registerOrderEvents(makeStreamRegistrar(app, deps, authorize), deps);
  app.register(async (scope) => {
    cacheAnswers(scope, deps);
    registerCatalogue(makeRegistrar(scope, deps, authorize), deps);
  });
  // The scripts have a cache of their own, because strangers could push merchants' answers out of it.
  app.register(async (scope) => {
    cacheAnswers(scope, deps);
    registerScript(scope, deps, settings.version);
  });
  registerCallbacks(app, deps);
  registerPages(app, deps, settings.version);
  registerExtension?.({ app, register, deps });
  app.register(otherMethods);
  return app;
}

/**
 * Logs one line for each request, when it ends. The line names the route and not the address, whose
 * query may hold secrets of the customer.
 */
class AccessLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { caller, method, routeOptions } = request;
    const entry = {
      method,
      route: routeOptions.url ?? "unknown",
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      merchantId: caller?.kind === "anybody" ? undefined : caller?.merchant.id,
    };
    // A stranger decides how often this happens, so the line is short and not a warning.
    if (error) request.log.info(entry, "request aborted");
    else request.log.info(entry, "request");
  }
}

const TWO_HOSTS = new Refusal("INVALID_INPUT", { message: "The request has two Host headers." });

/** Counts the Host headers. Names and values take turns in the list. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  }
  return count;
}

/** Writes the uses of API keys while the server runs, and once more when it closes. */
function flushRegularly(app: FastifyInstance, keyUses: KeyUses): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook("onReady", async () => {
    timer = setInterval(() => void keyUses.flush(), KEY_USES_FLUSH_MS);
    timer.unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await keyUses.flush();
  });
}

function prepareAnswers(app: FastifyInstance, deps: Deps, securityLog: SecurityLog): void {
  const headers = baseHeaders(deps.publicUrl);
  app.decorateRequest("caller");
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    reply.header("x-request-id", request.id);
    request.caller = { kind: "anybody" };
    // Node reads the first one. A proxy in front may have read the other (RFC 9112, section 3.2).
    done(countHosts(request.raw.rawHeaders) > 1 ? TWO_HOSTS : undefined);
  });
  app.setValidatorCompiler<TSchema>(compileValidator);
  app.setReplySerializer(encodeJson);
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) securityLog.refused(request, error);
    return answerError(deps, error, { request, reply });
  });
}

function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (request: FastifyRequest, bytes: Buffer, done) => {
      const isOptional = request.routeOptions.config.endpoint?.body === undefined;
      try {
        done(null, isOptional && bytes.length === 0 ? undefined : parseJsonBody(bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** The status in the log of a request whose client left while it sent the body. */
const CLIENT_LEFT = 400;

/** Whether the connection broke, and not our work. Our own connections may report the same code. */
const isOfClient = (error: unknown, { raw }: FastifyRequest): boolean =>
  error !== null && error === raw.errored;

function answerError(
  deps: Deps,
  error: unknown,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  if (isOfClient(error, request)) {
    // Nobody reads the answer, which only ends the request.
    request.log.info({ route: request.routeOptions.url }, "request aborted");
    return reply.code(CLIENT_LEFT).send();
  }
  const { endpoint } = request.routeOptions.config;
  const { status, text, isOurs, retryAfterSeconds } = presentError(error, {
    requestId: request.id,
    endpoint,
  });
  if (isOurs) {
    request.log.error({ err: error, route: request.routeOptions.url }, "a request failed");
  }
  return reply
    .code(status)
    .headers({
      ...baseHeaders(deps.publicUrl),
      "x-request-id": request.id,
      "content-type": JSON_TYPE,
      ...(!reply.hasHeader("retry-after") &&
        retryAfterSeconds && { "retry-after": retryAfterSeconds }),
    })
    .send(text);
}
