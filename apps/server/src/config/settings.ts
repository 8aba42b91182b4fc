import type { LevelWithSilent } from "pino";
import { FAILPOINTS } from "../failpoints.ts";
import {
  type Parser,
  parseDatabaseUrl,
  parseList,
  parseOneOf,
  parseOrigin,
  parseText,
  parseWhole,
  parseYesNo,
} from "./parsers.ts";

/** One environment variable the service reads. */
export interface Setting<T> {
  readonly name: string;
  /** Its text when it is not set, by environment; undefined means absent. */
  readonly default: Default;
  /** For the reference: what a computed default is. */
  readonly defaultWords?: string;
  readonly description: string;
  readonly parse: Parser<T>;
}

type ByEnvironment = Readonly<Record<"dev" | "staging" | "prod", string>>;
type Default = string | undefined | ByEnvironment;

const setting = <T>(definition: Setting<T>): Setting<T> => definition;

const LOG_LEVELS = [
  ...(["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const),
] satisfies LevelWithSilent[];

const rateLimit = (name: string, amount: string, description: string): Setting<number> => ({
  name,
  default: amount,
  description,
  parse: parseWhole(1, 1_000_000_000),
});

/** Every setting there is. `docs/reference/configuration.md` is made from this table. */
export const SETTINGS = {
  environment: setting({
    name: "EXCHANGE_ENV",
    default: "dev",
    description: "The one environment this installation serves: `dev`, `staging` or `prod`.",
    parse: parseOneOf(["dev", "staging", "prod"]),
  }),
  port: setting({
    name: "PORT",
    default: "8080",
    description: "Port of the API, the checkout and the documents. `0` takes any free one.",
    parse: parseWhole(0, 65_535),
  }),
  shopPort: setting({
    name: "SHOP_PORT",
    default: "8081",
    description: "Port of the demo shop, in `dev` only. `0` starts no shop.",
    parse: parseWhole(0, 65_535),
  }),
  host: setting({
    name: "HOST",
    default: { dev: "localhost", staging: "0.0.0.0", prod: "0.0.0.0" },
    description: "Address to listen on.",
    parse: parseText,
  }),
  role: setting({
    name: "EXCHANGE_ROLE",
    default: "all",
    description:
      "What this process does: `api` answers requests; `worker` does jobs, webhooks and the audit; `all` does both. `api` and `worker` need `DATABASE_URL`.",
    parse: parseOneOf(["all", "api", "worker"]),
  }),
  apiProcesses: setting({
    name: "EXCHANGE_WORKERS",
    default: "1",
    description:
      "Processes that answer requests on the one port. Each counts rate limits by itself. With more than one the main process does the rest.",
    parse: parseWhole(1, 64),
  }),
  databaseUrl: setting({
    name: "DATABASE_URL",
    default: undefined,
    defaultWords: "the embedded PostgreSQL",
    description: "A PostgreSQL 15 or later to use instead of the embedded one.",
    parse: parseDatabaseUrl,
  }),
  dataDir: setting({
    name: "EXCHANGE_DATA_DIR",
    default: ".data",
    description:
      "Folder of the embedded database, the keys made in `dev` and the demo's credentials.",
    parse: parseText,
  }),
  catalogueDir: setting({
    name: "EXCHANGE_CATALOGUE_DIR",
    default: "apps/server/catalogue",
    description: "Folder of the files that list currencies, methods, countries and prices.",
    parse: parseText,
  }),
  publicUrl: setting({
    name: "EXCHANGE_PUBLIC_URL",
    default: undefined,
    defaultWords: "`http://localhost:<PORT>` in `dev`; elsewhere it must be set",
    description: "Where customers' browsers reach the service. Must be HTTPS in `prod`.",
    parse: parseOrigin,
  }),
  secretKeysFile: setting({
    name: "EXCHANGE_SECRET_KEYS_FILE",
    default: undefined,
    defaultWords: "`secret-keys` in the data folder, made by itself in `dev`",
    description:
      "File of `<key id>:<32 bytes in base64>` lines, readable by its owner alone. The first line is the current key; older lines still open what they sealed.",
    parse: parseText,
  }),
  logLevel: setting({
    name: "EXCHANGE_LOG_LEVEL",
    default: { dev: "warn", staging: "info", prod: "info" },
    description:
      "Least level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`.",
    parse: parseOneOf(LOG_LEVELS),
  }),
  trustedProxies: setting({
    name: "EXCHANGE_TRUSTED_PROXIES",
    default: "",
    description: "Addresses of proxies, separated by commas, whose `X-Forwarded-For` is believed.",
    parse: parseList,
  }),
  readsPerMinute: rateLimit(
    "EXCHANGE_RATE_READS",
    "600",
    "Merchant reads in a minute, for each client id.",
  ),
  quotesPerMinute: rateLimit(
    "EXCHANGE_RATE_QUOTES",
    "300",
    "Merchant quotes in a minute, for each client id.",
  ),
  tokensPerMinute: rateLimit(
    "EXCHANGE_RATE_TOKENS",
    "120",
    "Token creations in a minute, for each client id.",
  ),
  browserCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_BROWSER",
    "60",
    "Calls in a minute made with one public token.",
  ),
  anonymousCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_ANONYMOUS",
    "600",
    "Calls in a minute that need no credentials, for each address.",
  ),
  failedCredentialsPerFiveMinutes: rateLimit(
    "EXCHANGE_RATE_FAILED_CREDENTIALS",
    "20",
    "Wrong credentials or tokens in five minutes, for each address.",
  ),
  rateFactor: setting({
    name: "EXCHANGE_RATE_FACTOR",
    default: { dev: "50", staging: "1", prod: "1" },
    description: "Multiplies every rate limit.",
    parse: parseWhole(1, 1_000_000),
  }),
  sandboxSeed: setting({
    name: "EXCHANGE_SANDBOX_SEED",
    default: "exchange",
    description: "Seed of the sandbox's prices: the same seed and time give the same price.",
    parse: parseText,
  }),
  allowLoopbackWebhooks: setting({
    name: "EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS",
    default: { dev: "true", staging: "true", prod: "false" },
    description: "Whether webhooks may go to plain HTTP and loopback addresses. Refused in `prod`.",
    parse: parseYesNo,
  }),
  failpoint: setting({
    name: "EXCHANGE_FAILPOINT",
    default: undefined,
    description: "For crash tests, in `dev` only: the process kills itself at this place.",
    parse: parseOneOf(FAILPOINTS),
  }),
} as const;

/** Variables with our prefix that belong to the demo shop and to examples; the service ignores them. */
export const FOREIGN_NAMES: readonly string[] = [
  "EXCHANGE_URL",
  "EXCHANGE_CLIENT_ID",
  "EXCHANGE_API_KEY",
  "EXCHANGE_WEBHOOK_SECRET",
];

export function defaultText(
  one: Setting<unknown>,
  environment: keyof ByEnvironment,
): string | undefined {
  return typeof one.default === "object" ? one.default[environment] : one.default;
}
