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
import { makeAuthorize } from "./auth/authorize.ts";
import { parseJsonBody } from "./body/parse.ts";
import { cacheAnswers } from "./cache.ts";
import { registerCatalogue } from "./catalogue/routes.ts";
import { registerEndpoints } from "./endpoints.ts";
import { answerClientError, presentError } from "./errors/answer.ts";
import { makeRateLimiters, showLimit } from "./limits/rate-limits.ts";
import { registerOrderEvents } from "./orders/events.ts";
import { registerPages } from "./pages/pages.ts";
import { makeRegistrar, makeStreamRegistrar, type RegisterRoutes } from "./registrar.ts";
import { registerScript } from "./script/script.ts";
import { baseHeaders } from "./security-headers.ts";
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
  prepareAnswers(app, deps);
  readJsonOnly(app);
  const otherMethods = answerUnknownRoutes(app);
  const limiters = makeRateLimiters(app, deps, settings.rateLimits);
  app.addHook("onSend", async (request, reply) => showLimit(limiters, request, reply));
  const authorize = makeAuthorize(deps, limiters);
  const register = makeRegistrar(app, deps, authorize);
  registerEndpoints(register, deps);
  registerOrderEvents(makeStreamRegistrar(app, authorize), deps);
  app.register(async (scope) => {
    cacheAnswers(scope, deps);
    registerCatalogue(makeRegistrar(scope, deps, authorize), deps);
  });
  // The scripts have a cache of their own, because strangers could push merchants' answers out of it.
  app.register(async (scope) => {
    cacheAnswers(scope, deps);
    registerScript(scope, { deps, limiters, version: settings.version });
  });
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
    if (error) request.log.warn({ ...entry, err: error }, "request aborted");
    else request.log.info(entry, "request");
  }
}

function prepareAnswers(app: FastifyInstance, deps: Deps): void {
  const headers = baseHeaders(deps.publicUrl);
  app.decorateRequest("caller");
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    reply.header("x-request-id", request.id);
    request.caller = { kind: "anybody" };
    done();
  });
  app.setValidatorCompiler<TSchema>(compileValidator);
  app.setReplySerializer(encodeJson);
  app.setErrorHandler((error, request, reply) => answerError(deps, error, { request, reply }));
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

function answerError(
  deps: Deps,
  error: unknown,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
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
