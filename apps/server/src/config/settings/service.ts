import type { LevelWithSilent } from "pino";
import {
  parseDatabaseUrl,
  parseOneOf,
  parseOrigin,
  parseProxies,
  parseText,
  parseWhole,
} from "../parsers.ts";
import { setting } from "../setting.ts";

const LOG_LEVELS = [
  ...(["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const),
] satisfies LevelWithSilent[];

/** Addresses, roles, files and the database of the service. */
export const SERVICE_SETTINGS = {
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
      "Role of this process. `api` answers requests. `worker` runs jobs, webhooks and the audit. `console` serves the console. `all` does everything. All others need `DATABASE_URL`.",
    parse: parseOneOf(["all", "api", "worker", "console"]),
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
  databaseUrlFile: setting({
    name: "DATABASE_URL_FILE",
    default: undefined,
    description:
      "File that holds the value of `DATABASE_URL`, instead of the variable: a password in a variable is in process lists and crash reports. It is as private as the secret keys file.",
    parse: parseText,
  }),
  databaseDirectUrl: setting({
    name: "EXCHANGE_DATABASE_DIRECT_URL",
    default: undefined,
    defaultWords: "`DATABASE_URL`",
    description:
      "Address of the same database past the pooler, when `DATABASE_URL` is PgBouncer in transaction mode. Without a user it has the user and the password of `DATABASE_URL`.",
    parse: parseDatabaseUrl,
  }),
  databaseStandbyUrl: setting({
    name: "EXCHANGE_DATABASE_STANDBY_URL",
    default: undefined,
    defaultWords: "`DATABASE_URL`",
    description:
      "Address of a standby of the same database, from which reports are read. Without a user it has the user and the password of `DATABASE_URL`.",
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
      "Folder of the embedded database, the keys created in `dev`, the credentials of the demo, and `history.json`, by which a start notices a [restored database](../operating/back-up.md). Keep it between starts.",
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
      "File of `<key id>:<32 bytes in base64>` lines, readable by its owner alone. A file of root may also be readable by a group of the process, as Kubernetes and systemd mount secrets. The first line is the current key. All other lines verify and decrypt, so publish a new key below the first line before you move it to the top.",
    parse: parseText,
  }),
  logLevel: setting({
    name: "EXCHANGE_LOG_LEVEL",
    default: { dev: "warn", staging: "info", prod: "info" },
    description:
      "Lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`.",
    parse: parseOneOf(LOG_LEVELS),
  }),
  requestsMax: setting({
    name: "EXCHANGE_REQUESTS_MAX",
    default: "512",
    description:
      "Requests that one process works on at the same time. One more is answered `SERVICE_UNAVAILABLE` with `Retry-After` before its body is read. Probes, event streams and requests whose body is still to come do not count.",
    parse: parseWhole(16, 100_000),
  }),
  drainSeconds: setting({
    name: "EXCHANGE_DRAIN_SECONDS",
    default: { dev: "0", staging: "5", prod: "5" },
    description:
      "Seconds between SIGTERM and the closing of the port. Meanwhile `/readyz` is red, requests are answered, and each answer closes its connection. Choose more than the balancer takes to see a red `/readyz`.",
    parse: parseWhole(0, 300),
  }),
  trustedProxies: setting({
    name: "EXCHANGE_TRUSTED_PROXIES",
    default: "",
    description:
      "Addresses or networks of proxies whose `X-Forwarded-For` is trusted, separated by commas. `loopback`, `linklocal` and `uniquelocal` stand for their networks. Without it, all callers behind a proxy are one address for every limit and share (`docs/operating/scaling.md`).",
    parse: parseProxies,
  }),
} as const;
