import { randomUUID } from "node:crypto";
import type { Endpoint, ErrorCode, PublicToken } from "@exchange/contract";
import { Ajv } from "ajv";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Deps } from "../flows/deps.ts";
import { createMerchant } from "../flows/merchants/create.ts";
import { makeLookUp } from "../flows/merchants/look-up.ts";
import { buildHttpServer } from "../http/server.ts";
import type { HttpSettings, RateLimits } from "../http/settings.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { readMerchantDirectory } from "../storage/merchants/directory.ts";
import { readExchangeControls } from "../storage/payouts/exchange-controls.ts";
import type { Database } from "../storage/postgres/database.ts";
import { operatorNamed } from "./operators.ts";
import { makeWorld, type World } from "./world.ts";

export interface Shop {
  readonly clientId: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Body;
}

export interface ErrorReply {
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly details?: readonly { readonly path?: string; readonly issue?: string }[];
}

export interface CreatedToken {
  readonly code: string;
  readonly data: PublicToken;
  readonly message: string;
}

/** The whole HTTP server on a real database, called without a socket. */
export interface HttpWorld extends World {
  readonly app: FastifyInstance;
  readonly shop: Shop;
  addShop(): Promise<Shop>;
  /** Reads merchants, keys and controls again, as the service does after a notification. */
  refresh(): Promise<void>;
  call<Body = Record<string, unknown>>(request: InjectOptions): Promise<Reply<Body>>;
  /** Asks for a public token as the shop, or as the headers say. */
  createToken<Body = CreatedToken>(
    payload: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply<Body>>;
  /** Returns the public token of a new session. */
  token(body?: Readonly<Record<string, unknown>>): Promise<string>;
}

export const GENEROUS: RateLimits = {
  readsPerMinute: 100_000,
  quotesPerMinute: 100_000,
  writesPerMinute: 100_000,
  tokensPerMinute: 100_000,
  browserCallsPerMinute: 100_000,
  anonymousCallsPerMinute: 100_000,
  failedCredentialsPerFiveMinutes: 100_000,
};

export async function makeHttpWorld(
  options: {
    readonly deps?: Partial<Deps>;
    readonly rateLimits?: Partial<RateLimits>;
    readonly settings?: Partial<HttpSettings>;
    readonly database?: Database;
  } = {},
): Promise<HttpWorld> {
  const world = await makeWorld({}, options.database);
  const rates = sandboxRates({ seed: "http" });
  let directory = await readMerchantDirectory(world.database);
  let controls = await readExchangeControls(world.database);
  const refresh = async (): Promise<void> => {
    directory = await readMerchantDirectory(world.database);
    controls = await readExchangeControls(world.database);
  };
  const deps: Deps = {
    ...world.deps,
    directory: () => directory,
    lookUp: makeLookUp(refresh),
    controls: () => controls,
    rates,
    ...options.deps,
  };
  const rateLimits = { ...GENEROUS, ...options.rateLimits };
  const settings = { version: "0.0.0", rateLimits, ...options.settings };
  const app = buildHttpServer(
    deps,
    settings,
    deps.environment === "prod" ? undefined : world.sandbox.registerRoutes,
  );
  const addShop = async (): Promise<Shop> => {
    // A merchant is the operator's: the API's role may not write one.
    const made = await createMerchant(
      { ...deps, database: world.database },
      {
        name: "Shop",
        allowedOrigins: [],
        by: operatorNamed("anna"),
      },
    );
    await refresh();
    const { apiKey } = made.key;
    const clientId = made.merchant.id;
    return { clientId, apiKey, headers: { "x-api-key": apiKey, "x-client-id": clientId } };
  };
  const shop = await addShop();
  const call = callOf(app);
  const createToken: HttpWorld["createToken"] = (payload, headers = {}) =>
    call({
      method: "POST",
      url: "/v1/public_token/create",
      headers: { ...shop.headers, ...headers },
      payload,
    });
  const token = async (body: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const reply = await createToken({ sessionId: randomUUID(), ...body });
    if (reply.status !== 201) throw new Error(`no token: ${reply.text}`);
    return reply.body.data.accessToken;
  };
  const close = async (): Promise<void> => {
    await app.close();
    await world.close();
  };
  return { ...world, deps, app, shop, addShop, refresh, call, createToken, token, close };
}

/** Returns the function that calls a server without a socket. */
export const callOf =
  (app: FastifyInstance): HttpWorld["call"] =>
  async <Body>(request: InjectOptions): Promise<Reply<Body>> => {
    const { statusCode, headers, body } = await app.inject(request);
    const isJson = String(headers["content-type"]).includes("json") && body !== "";
    const parsed = (isJson ? JSON.parse(body) : {}) as Body;
    return { status: statusCode, headers, text: body, body: parsed };
  };

const ANSWERS = new Ajv({ strict: false, allErrors: true });

/**
 * Returns the members of a success answer that its endpoint's schema does not document, as
 * sentences.
 */
export function faultsOf(endpoint: Endpoint, body: unknown): readonly string[] {
  const validate = ANSWERS.compile(endpoint.success.schema);
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
