import { encodeJson } from "@exchange/contract";
import { buildAdminOpenApiDocument } from "@exchange/contract/admin";
import type { TSchema } from "@sinclair/typebox";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import { AccessLog } from "../access-log.ts";
import { readJsonOnly } from "../body/read-json.ts";
import { answerClientError, answerError } from "../errors/answer.ts";
import { receiveBodies } from "../limits/arriving-bodies.ts";
import { boundConnections, SLOW_REQUEST_LIMITS } from "../limits/connections.ts";
import { refuseHeaders } from "../refuse-headers.ts";
import { baseHeaders } from "../security-headers.ts";
import { makeSecurityLog } from "../security-log.ts";
import { answerUnknownRoutes } from "../unknown-routes.ts";
import { compileValidator } from "../validation.ts";
import { JSON_TYPE } from "../wire.ts";
import { registerCatalogue } from "./catalogue.ts";
import { registerInstall } from "./install.ts";
import { registerMerchantKeys } from "./keys.ts";
import { registerLedger } from "./ledger.ts";
import { registerMerchantOverview } from "./merchant-overview.ts";
import { registerMerchants } from "./merchants.ts";
import { registerAdminOrders, registerOrderActions } from "./orders.ts";
import { registerChangeStream, registerOverview } from "./overview.ts";
import { registerConsolePages } from "./pages.ts";
import { registerPayoutLimits } from "./payout-limits.ts";
import { registerAdminPayouts } from "./payouts.ts";
import { registerOwnAccount, registerPeople } from "./people.ts";
import { registerPrices } from "./prices.ts";
import { registerProvider } from "./provider.ts";
import { type AdminDeps, makeAdminRegistrar, type RegisterAdmin } from "./registrar.ts";
import { registerReports } from "./reports.ts";
import { registerRequests } from "./requests.ts";
import { registerReviews } from "./reviews.ts";
import { registerServiceAccounts } from "./service-accounts.ts";
import { registerMerchantSettings } from "./settings.ts";
import { registerOwnSession, registerSignIn } from "./sign-in.ts";
import { registerTreasury } from "./treasury.ts";
import { type BuildApi, registerTryCall } from "./try-call.ts";
import { registerMerchantDeliveries, registerMerchantWebhooks } from "./webhooks.ts";

const FAILED_KEYS_MAX = 20;
/** Few people use a console. */
const CONNECTIONS_MAX = 512;

export interface AdminSettings {
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Keys of service accounts that fail in five minutes, from one address over all processes. */
  readonly failedKeysPerFiveMinutes?: number;
  /** The address of the example shop, where one runs. */
  readonly shopUrl?: string | undefined;
  /** Makes the API that merchants' developers try calls of. Absent in `prod`. */
  readonly buildApi?: BuildApi | undefined;
}

/**
 * Builds the server of the console: its pages and `/v1/admin/*`. It has a port of its own, and no route of the API
 * (docs/decisions/0092-give-the-console-a-port-of-its-own.md). It does not listen yet.
 */
export function buildAdminServer(deps: AdminDeps, settings: AdminSettings): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const { consoleUrl } = deps;
  const own = { publicUrl: consoleUrl };
  const app = fastify({
    loggerInstance,
    logController: new AccessLog("all"),
    ...SLOW_REQUEST_LIMITS,
    trustProxy: settings.trustedProxies ? [...settings.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: () => deps.ids.uuid(),
    return503OnClosing: false,
    clientErrorHandler: answerClientError({ ids: deps.ids, ...own }),
    frameworkErrors: (error, request, reply) => answerError(own, error, { request, reply }),
  });
  boundConnections(app.server, CONNECTIONS_MAX);
  const securityLog = makeSecurityLog(app, deps);
  const headers = { ...baseHeaders(consoleUrl), "x-frame-options": "DENY" };
  app.decorateRequest("caller");
  app.decorateRequest("adminCaller");
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    reply.header("x-request-id", request.id);
    request.caller = { kind: "anybody" };
    done(refuseHeaders(request.raw));
  });
  app.setValidatorCompiler<TSchema>(compileValidator);
  app.setReplySerializer(encodeJson);
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) securityLog.refused(request, error);
    return answerError(own, error, { request, reply });
  });
  receiveBodies(app);
  readJsonOnly(app);
  const otherMethods = answerUnknownRoutes(app);
  const { failedKeysPerFiveMinutes = FAILED_KEYS_MAX } = settings;
  const register = makeAdminRegistrar(app, deps, { failedKeysPerFiveMinutes });
  registerCalls(register, deps, settings);
  registerTryCall({ app, register, deps }, settings.buildApi);
  registerDocument(app, consoleUrl);
  registerConsolePages(app);
  app.register(otherMethods);
  return app;
}

function registerCalls(register: RegisterAdmin, deps: AdminDeps, settings: AdminSettings): void {
  registerSignIn(register, deps);
  registerProvider(register, deps);
  registerOwnSession(register, deps);
  registerOwnAccount(register, deps);
  registerPeople(register, deps);
  registerServiceAccounts(register, deps);
  registerOverview(register, deps);
  registerChangeStream(register, deps);
  registerAdminOrders(register, deps);
  registerOrderActions(register, deps);
  registerReviews(register, deps);
  registerAdminPayouts(register, deps);
  registerPayoutLimits(register, deps);
  registerTreasury(register, deps);
  registerLedger(register, deps);
  registerReports(register, deps);
  registerMerchantOverview(register, deps);
  registerMerchants(register, deps);
  registerMerchantKeys(register, deps);
  registerMerchantWebhooks(register, deps);
  registerMerchantDeliveries(register, deps);
  const { shopUrl, buildApi } = settings;
  registerInstall(register, deps, { shopUrl, mayTry: buildApi !== undefined });
  registerRequests(register, deps);
  registerMerchantSettings(register, deps);
  registerPrices(register, deps);
  registerCatalogue(register, deps);
}

function registerDocument(app: FastifyInstance, consoleUrl: string): void {
  let text: string | undefined;
  app.get("/v1/admin/openapi.json", (_request, reply) => {
    text ??= JSON.stringify(buildAdminOpenApiDocument({ consoleUrl }));
    return reply.header("content-type", JSON_TYPE).send(text);
  });
}
