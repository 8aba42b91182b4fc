import { FAILPOINTS } from "../../failpoints.ts";
import { parseDatabaseUrl, parseOneOf, parseText, parseYesNo } from "../parsers.ts";
import { setting } from "../setting.ts";

/** The sandbox, and exceptions that an operator allows. */
export const REHEARSAL_SETTINGS = {
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
      "Lets `prod` listen on an address of the network without `EXCHANGE_TRUSTED_PROXIES`. All customers behind an unnamed proxy then share the rate limits and the slow bodies of one address.",
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
