import type { LevelWithSilent } from "pino";
import { FAILPOINTS } from "../failpoints.ts";
import {
  parseDatabaseUrl,
  parseList,
  parseOneOf,
  parseOrigin,
  parseText,
  parseWhole,
  parseYesNo,
} from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

const LOG_LEVELS = [
  ...(["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const),
] satisfies LevelWithSilent[];

const rateLimit = (name: string, amount: string, description: string): Setting<number> => ({
  name,
  default: amount,
  description,
  parse: parseWhole(1, 1_000_000_000),
});

const openOrdersCap = (scope: string, euro: string, orders: string): Setting<number> => ({
  name: `EXCHANGE_OPEN_ORDERS_${scope}_EURO`,
  default: { dev: "0", staging: "0", prod: euro },
  description: `The most, in euro, that the placed and unpaid orders ${orders} may be for together. Another order is refused with \`LIQUIDITY_UNAVAILABLE\`. \`0\` means no cap.`,
  parse: parseWhole(0, 1_000_000_000),
});

/** Every setting. `docs/reference/configuration.md` is generated from this table. */
export const SETTINGS = {
  environment: setting({
    name: "EXCHANGE_ENV",
    default: "dev",
    description: "The environment of this installation: `dev`, `staging` or `prod`.",
    parse: parseOneOf(["dev", "staging", "prod"]),
  }),
  port: setting({
    name: "PORT",
    default: "8080",
    description: "Port of the API, the checkout and the documents. `0` chooses a free port.",
    parse: parseWhole(0, 65_535),
  }),
  healthPort: setting({
    name: "EXCHANGE_HEALTH_PORT",
    default: "0",
    description:
      "Port of `GET /livez` and `GET /readyz` for probes, also of a worker. `0` opens none.",
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
      "Role of this process. `api` answers requests. `worker` runs jobs, webhooks and the audit. `all` does both. `api` and `worker` need `DATABASE_URL`.",
    parse: parseOneOf(["all", "api", "worker"]),
  }),
  apiProcesses: setting({
    name: "EXCHANGE_WORKERS",
    default: "1",
    description:
      "Number of processes that answer requests on the port. Rate limits hold over all of them. With more than one, the main process answers no requests and does everything else.",
    parse: parseWhole(1, 64),
  }),
  databaseUrl: setting({
    name: "DATABASE_URL",
    default: undefined,
    defaultWords: "the embedded PostgreSQL",
    description: "Address of a PostgreSQL 15 or later to use instead of the embedded one.",
    parse: parseDatabaseUrl,
  }),
  databaseConnections: setting({
    name: "EXCHANGE_DATABASE_CONNECTIONS",
    default: "16",
    description:
      "Connections that each process opens to the database at most. One of them listens and watches the database.",
    parse: parseWhole(4, 1_000),
  }),
  dataDir: setting({
    name: "EXCHANGE_DATA_DIR",
    default: ".data",
    description:
      "Folder of the embedded database, the keys created in `dev` and the credentials of the demo.",
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
    defaultWords: "`http://localhost:<PORT>` in `dev`, required elsewhere",
    description:
      "Address at which browsers of customers reach the service. Must be HTTPS in `prod`.",
    parse: parseOrigin,
  }),
  railsFile: setting({
    name: "EXCHANGE_RAILS_FILE",
    default: undefined,
    defaultWords: "the sandbox's rails in `dev` and `staging`",
    description:
      "JSON file that chooses the providers behind the service. `prices` names the venues that prices come from, and without it `prod` refuses every quote (`docs/operating/prices.md`). `chains` names the networks that are followed on a real chain (`docs/operating/chains.md`).",
    parse: parseText,
  }),
  secretKeysFile: setting({
    name: "EXCHANGE_SECRET_KEYS_FILE",
    default: undefined,
    defaultWords: "`secret-keys` in the data folder, created automatically in `dev`",
    description:
      "File of `<key id>:<32 bytes in base64>` lines, readable by its owner alone. The first line is the current key. All other lines verify and decrypt, so publish a new key below the first line before you move it to the top.",
    parse: parseText,
  }),
  logLevel: setting({
    name: "EXCHANGE_LOG_LEVEL",
    default: { dev: "warn", staging: "info", prod: "info" },
    description:
      "Lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`.",
    parse: parseOneOf(LOG_LEVELS),
  }),
  trustedProxies: setting({
    name: "EXCHANGE_TRUSTED_PROXIES",
    default: "",
    description: "Addresses of proxies whose `X-Forwarded-For` is trusted, separated by commas.",
    parse: parseList,
  }),
  priceBandPercent: setting({
    name: "EXCHANGE_PRICE_BAND_PERCENT",
    default: "50",
    description:
      "How far the market may move against an order before its money is final, in percent of the spread in its quote. Beyond that the order waits for its customer's answer to a new price. `50` is half the spread.",
    parse: parseWhole(0, 10_000),
  }),
  slippageBasisPoints: setting({
    name: "EXCHANGE_SLIPPAGE_BASIS_POINTS",
    default: "25",
    description:
      "How much less a customer may receive at a renewed price before the checkout asks them, in hundredths of a percent. The button always names the price that it pays. `0` asks about each worse price.",
    parse: parseWhole(0, 200),
  }),
  openOrdersPairEuro: openOrdersCap("PAIR", "1000000", "of one pair of currencies"),
  openOrdersMerchantEuro: openOrdersCap("MERCHANT", "500000", "of one merchant"),
  openOrdersCustomerEuro: openOrdersCap(
    "CUSTOMER",
    "50000",
    "of one customer (by the `reference` that the merchant gave)",
  ),
  readsPerMinute: rateLimit(
    "EXCHANGE_RATE_READS",
    "600",
    "Reads per minute by one merchant (client id).",
  ),
  quotesPerMinute: rateLimit(
    "EXCHANGE_RATE_QUOTES",
    "300",
    "Quotes per minute by one merchant (client id).",
  ),
  tokensPerMinute: rateLimit(
    "EXCHANGE_RATE_TOKENS",
    "120",
    "Token creations per minute by one merchant (client id).",
  ),
  browserCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_BROWSER",
    "60",
    "Calls per minute with one public token.",
  ),
  anonymousCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_ANONYMOUS",
    "600",
    "Calls per minute without credentials from one address, or from one /64 of IPv6.",
  ),
  failedCredentialsPerFiveMinutes: rateLimit(
    "EXCHANGE_RATE_FAILED_CREDENTIALS",
    "20",
    "Wrong credentials or tokens per five minutes from one address, or from one /64 of IPv6.",
  ),
  rateFactor: setting({
    name: "EXCHANGE_RATE_FACTOR",
    default: { dev: "50", staging: "1", prod: "1" },
    description: "Multiplies every rate limit.",
    parse: parseWhole(1, 1_000_000),
  }),
  ordersRetentionDays: setting({
    name: "EXCHANGE_RETENTION_ORDERS_DAYS",
    default: "1826",
    description:
      "Days for which the personal data of an order is kept after the order has ended. Five years by default, as the laws against money laundering require.",
    parse: parseWhole(30, 36_500),
  }),
  sessionsRetentionDays: setting({
    name: "EXCHANGE_RETENTION_SESSIONS_DAYS",
    default: "90",
    description:
      "Days for which a session in which no order was placed is kept after its last token was issued.",
    parse: parseWhole(2, 36_500),
  }),
  walletsRetentionDays: setting({
    name: "EXCHANGE_RETENTION_WALLETS_DAYS",
    default: "1826",
    description:
      "Days for which the name beside a saved wallet is kept after the merchant last sent it.",
    parse: parseWhole(1, 36_500),
  }),
  addressesRetentionDays: setting({
    name: "EXCHANGE_RETENTION_ADDRESSES_DAYS",
    default: "365",
    description:
      "Days for which the network address that an API key was used from is kept after its last use.",
    parse: parseWhole(1, 36_500),
  }),
  fillPlacesAfterSeconds: setting({
    name: "EXCHANGE_FILL_PLACES_AFTER_SECONDS",
    default: "60",
    description:
      "Seconds after which the place that a stopped payout or an unsigned top-up left on its chain is filled with a transaction of nothing, if later payouts of the network wait for it.",
    parse: parseWhole(1, 86_400),
  }),
  sandboxSeed: setting({
    name: "EXCHANGE_SANDBOX_SEED",
    default: "exchange",
    description: "Seed of the sandbox's prices. The same seed and time give the same price.",
    parse: parseText,
  }),
  sandboxDatabaseUrl: setting({
    name: "EXCHANGE_SANDBOX_DATABASE_URL",
    default: undefined,
    defaultWords: "the service's database",
    description:
      "Another PostgreSQL database for the books of the sandbox's rails, so that a restore drill does not restore them too. The sandbox's clock does not move them then. Refused in `prod`.",
    parse: parseDatabaseUrl,
  }),
  allowLoopbackWebhooks: setting({
    name: "EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS",
    default: { dev: "true", staging: "false", prod: "false" },
    description:
      "Allows webhooks to plain HTTP, loopback addresses and any port. A merchant can then reach this machine and read the answers. Refused in `prod`.",
    parse: parseYesNo,
  }),
  allowMerchantClock: setting({
    name: "EXCHANGE_ALLOW_MERCHANT_CLOCK",
    default: { dev: "true", staging: "false", prod: "false" },
    description:
      "Lets each merchant move the business clock, which all merchants of the installation share. When it is `false`, the operator moves it by `exchange clock advance`. Refused in `prod`.",
    parse: parseYesNo,
  }),
  allowEmbeddedDatabase: setting({
    name: "EXCHANGE_ALLOW_EMBEDDED_DATABASE",
    default: "false",
    description:
      "Lets `prod` use the embedded PostgreSQL. It has one role, no replica and no archive of its log.",
    parse: parseYesNo,
  }),
  allowPlainDatabase: setting({
    name: "EXCHANGE_ALLOW_PLAIN_DATABASE",
    default: "false",
    description:
      "Lets `prod` reach a PostgreSQL of another machine without TLS, or without a check of its certificate. For a network that nobody else can read.",
    parse: parseYesNo,
  }),
  allowPlainHttp: setting({
    name: "EXCHANGE_ALLOW_PLAIN_HTTP",
    default: "false",
    description:
      "Lets `prod` listen on an address of the network without `EXCHANGE_TRUSTED_PROXIES`. All customers behind an unnamed proxy then share the rate limits of one address.",
    parse: parseYesNo,
  }),
  failpoint: setting({
    name: "EXCHANGE_FAILPOINT",
    default: undefined,
    description:
      "For crash tests in `dev` only. The process kills itself when it reaches this place.",
    parse: parseOneOf(FAILPOINTS),
  }),
} as const;

/** Variables with our prefix that the demo shop and the examples read. The service ignores them. */
export const FOREIGN_NAMES: readonly string[] = [
  "EXCHANGE_URL",
  "EXCHANGE_CLIENT_ID",
  "EXCHANGE_API_KEY",
  "EXCHANGE_WEBHOOK_SECRET",
];
