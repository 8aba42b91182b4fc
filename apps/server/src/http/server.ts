import { encodeJson, SessionId } from "@exchange/contract";
import type { TSchema } from "@sinclair/typebox";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Deps } from "../flows/deps.ts";
import { makeKeyUses } from "../flows/merchants/key-uses.ts";
import { Refusal } from "../flows/refusal.ts";
import { AccessLog } from "./access-log.ts";
import { makeAuthorize } from "./auth/authorize.ts";
import { allowOwnOrigin } from "./auth/own-origin.ts";
import { readJsonOnly } from "./body/read-json.ts";
import { cacheAnswers } from "./cache.ts";
import { registerCallbacks } from "./callbacks/routes.ts";
import { registerCatalogue } from "./catalogue/routes.ts";
import { registerEndpoints } from "./endpoints.ts";
import { answerClientError, answerError } from "./errors/answer.ts";
import { flushRegularly } from "./flush-regularly.ts";
import { receiveBodies } from "./limits/arriving-bodies.ts";
import { boundConnections, SLOW_REQUEST_LIMITS } from "./limits/connections.ts";
import { boundRequests, IN_FLIGHT_LIMITS } from "./limits/in-flight.ts";
import { makeRateLimiters } from "./limits/rate-limits.ts";
import { limitStrangers, showLimit } from "./limits/strangers.ts";
import { countRefusal, countRequests } from "./metrics.ts";
import { registerOrderEvents } from "./orders/events.ts";
import { registerPages } from "./pages/pages.ts";
import { refuseHeaders } from "./refuse-headers.ts";
import { makeRegistrar, makeStreamRegistrar, type RegisterRoutes } from "./registrar.ts";
import { compressAnswers } from "./representation.ts";
import { logRequests } from "./request-log.ts";
import { registerScript } from "./script/script.ts";
import { baseHeaders } from "./security-headers.ts";
import { makeSecurityLog, type SecurityLog } from "./security-log.ts";
import type { HttpSettings } from "./settings.ts";
import { traceRequests } from "./tracing.ts";
import { answerUnknownRoutes } from "./unknown-routes.ts";
import { compileValidator } from "./validation.ts";

/** Bounds the answers that a client can make us hold by sending requests and reading none. */
const REQUESTS_PER_CONNECTION_MAX = 1_000;
const CONNECTIONS_MAX = 8_192;
/** Longer than the 60 seconds of most balancers, so that a balancer ends an idle connection and not we. */
const KEEP_ALIVE_MS = 65_000;
const CONNECTION_LIMITS = {
  ...SLOW_REQUEST_LIMITS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  maxRequestsPerSocket: REQUESTS_PER_CONNECTION_MAX,
  http: {
    ...SLOW_REQUEST_LIMITS.http,
    // Node would answer without a body. We refuse such a request ourselves.
    requireHostHeader: false,
  },
} as const;
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
    logController: new AccessLog(settings.accessLog ?? "all"),
    ...CONNECTION_LIMITS,
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
  boundConnections(app.server, settings.connectionsMax ?? CONNECTIONS_MAX);
  const securityLog = makeSecurityLog(app, deps);
  countRequests(app, deps);
  traceRequests(app, deps);
  prepareAnswers(app, deps, securityLog);
  const waiting = boundRequests(app, settings.inFlight ?? IN_FLIGHT_LIMITS);
  receiveBodies(app, { waiting, arrivingBytesMax: settings.arrivingBytesMax });
  const limiters = makeRateLimiters(app, deps, settings.rateLimits);
  limitStrangers(app, limiters);
  readJsonOnly(app);
  const otherMethods = answerUnknownRoutes(app);
  app.addHook("onSend", async (request, reply) => showLimit(limiters, request, reply));
  const keyUses = makeKeyUses(deps, (use) => securityLog.newAddress(use));
  flushRegularly(app, keyUses, KEY_USES_FLUSH_MS);
  logRequests(app, deps);
  const authorize = makeAuthorize({ deps, limiters, keyUses });
  const register = makeRegistrar(app, deps, authorize);
  registerEndpoints(register, deps);
  registerOrderEvents(makeStreamRegistrar(app, deps, authorize), deps);
  app.register(async (scope) => {
    compressAnswers(scope);
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

function prepareAnswers(app: FastifyInstance, deps: Deps, securityLog: SecurityLog): void {
  const headers = baseHeaders(deps.publicUrl);
  app.decorateRequest("caller");
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    reply.header("x-request-id", request.id);
    // While the process stops, each client is asked to open its next connection elsewhere.
    if (deps.isDraining?.()) reply.header("connection", "close");
    request.caller = { kind: "anybody" };
    done(refuseHeaders(request.raw));
  });
  // Node would answer an unknown expectation without a body.
  app.server.on("checkExpectation", (request, response) => {
    app.server.emit("request", request, response);
  });
  allowOwnOrigin(app, deps);
  app.setValidatorCompiler<TSchema>(compileValidator);
  app.setReplySerializer(encodeJson);
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) {
      request.refusedFor = error.logged;
      countRefusal(deps, request, error);
      securityLog.refused(request, error);
    }
    return answerError(deps, error, { request, reply });
  });
}
