import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { namesOfServices } from "./config/kubernetes.ts";
import { BadSetting } from "./config/parsers.ts";
import { defaultText, type Setting } from "./config/setting.ts";
import { findPlainLinks, type OPERATOR_SETTINGS } from "./config/settings/operator.ts";
import { FOREIGN_NAMES, SETTINGS } from "./config/settings.ts";
import { multiplyRateLimits, type RateLimits } from "./http/settings.ts";
import { isPrivateFile, privateFileWords } from "./secrets/private-file.ts";

type Settings = typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The settings without a default. They may be absent. */
type Absent =
  | "databaseUrl"
  | "databaseUrlFile"
  | "databaseDirectUrl"
  | "databaseStandbyUrl"
  | "sandboxDatabaseUrl"
  | "publicUrl"
  | "consoleUrl"
  | "railsFile"
  | "secretKeysFile"
  | "alertWebhookUrl"
  | "smtpUrl"
  | "smtpUrlFile"
  | "mailFrom"
  | "alertMail"
  | keyof typeof OPERATOR_SETTINGS
  | "ssoIssuer"
  | "ssoClientId"
  | "ssoClientSecret"
  | "ssoClientSecretFile"
  | "ssoName"
  | "failpoint";
type Values = {
  readonly [K in keyof Settings]: ValueOf<Settings[K]> | (K extends Absent ? undefined : never);
};

/** All settings, checked. Paths are absolute. */
export interface Config extends Omit<Values, "secretKeysFile" | "rateFactor" | keyof RateLimits> {
  readonly secretKeysFile: string;
  readonly rateLimits: RateLimits;
}

/** Reports every bad setting, with a sentence for each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

// The root of the repository, seen from dist and from src. Relative paths start here, so that every command
// means the same folder, no matter where it is run.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const HINT = "docs/reference/configuration.md lists every setting.";

export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const problems = unknownNames(variables);
  const text = variables[SETTINGS.environment.name];
  const environment = text === "staging" || text === "prod" ? text : "dev";
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, one]: [string, Setting<unknown>]) => {
      const text = variables[one.name] || defaultText(one, environment);
      try {
        return [key, text === undefined ? undefined : one.parse(text)];
      } catch (error) {
        if (!(error instanceof BadSetting)) throw error;
        const value = one.isSecret ? "" : `, not ${JSON.stringify(text)}`;
        problems.push(`${one.name} ${error.message}${value}.`);
        return [key, undefined];
      }
    }),
  ) as Values;
  const complete = SECRETS_OF_FILES.reduce(
    (found, keys) => withSecretOfFile(found, problems, keys),
    values,
  );
  problems.push(...contradictions(complete));
  if (problems.length > 0) throw new ConfigError([...problems, HINT]);
  return toConfig(complete);
}

/** Settings that may be in a file, each with the setting that names it. */
const SECRETS_OF_FILES = [
  ["databaseUrl", "databaseUrlFile"],
  ["smtpUrl", "smtpUrlFile"],
  ["ssoClientSecret", "ssoClientSecretFile"],
] as const;

/** Reads a setting from its file, where it is in one. */
function withSecretOfFile(
  values: Values,
  problems: string[],
  [key, fileKey]: (typeof SECRETS_OF_FILES)[number],
): Values {
  const file = values[fileKey];
  if (file === undefined) return values;
  const [secret, setting] = [SETTINGS[key], SETTINGS[fileKey]];
  if (values[key] !== undefined) {
    problems.push(`${secret.name} and ${setting.name} are both set. Remove one of them.`);
    return values;
  }
  const path = resolve(ROOT, file);
  try {
    if (!isPrivateFile(statSync(path))) throw new BadSetting(privateFileWords(path));
    return { ...values, [key]: secret.parse(readFileSync(path, "utf8").trim()) };
  } catch (error) {
    // The content is a secret, so it is not shown.
    problems.push(`${setting.name} names ${path}: ${(error as Error).message}.`);
    return values;
  }
}

function unknownNames(variables: NodeJS.ProcessEnv): string[] {
  const allowed = new Set([
    ...Object.values(SETTINGS).map(({ name }) => name),
    ...FOREIGN_NAMES,
    ...namesOfServices(variables),
  ]);
  return Object.keys(variables)
    .filter((name) => name.startsWith("EXCHANGE_") && !allowed.has(name))
    .map((name) => `${name} is not a setting. Remove it or correct its spelling.`);
}

/** Finds settings that are valid alone but not together. */
function contradictions(values: Values): string[] {
  const { environment, publicUrl, port, shopPort } = values;
  const problems: string[] = [];
  if (environment !== "dev" && environment !== undefined && publicUrl === undefined) {
    problems.push(`EXCHANGE_PUBLIC_URL must be set when EXCHANGE_ENV is ${environment}.`);
  }
  if (environment === "prod" && publicUrl?.startsWith("http:")) {
    problems.push("EXCHANGE_PUBLIC_URL must begin with https:// when EXCHANGE_ENV is prod.");
  }
  if (environment === "prod" && values.allowLoopbackWebhooks) {
    problems.push("EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS must be false when EXCHANGE_ENV is prod.");
  }
  if (environment === "prod" && values.allowMerchantClock) {
    problems.push("EXCHANGE_ALLOW_MERCHANT_CLOCK must be false when EXCHANGE_ENV is prod.");
  }
  if (environment === "prod" && values.sandboxDatabaseUrl !== undefined) {
    problems.push("EXCHANGE_SANDBOX_DATABASE_URL must be absent when EXCHANGE_ENV is prod.");
  }
  if (environment !== "dev" && values.failpoint !== undefined) {
    problems.push("EXCHANGE_FAILPOINT works only when EXCHANGE_ENV is dev.");
  }
  if (environment === "prod") problems.push(...findExposures(values));
  if (values.role !== "all" && values.role !== undefined && values.databaseUrl === undefined) {
    problems.push(`DATABASE_URL must be set when EXCHANGE_ROLE is ${values.role}.`);
  }
  if (values.databaseDirectUrl !== undefined && values.databaseUrl === undefined) {
    problems.push("DATABASE_URL must be set when EXCHANGE_DATABASE_DIRECT_URL is.");
  }
  if ((values.role === "worker" || values.role === "console") && values.apiProcesses > 1) {
    problems.push(
      `EXCHANGE_WORKERS must be 1 when EXCHANGE_ROLE is ${values.role}: only \`api\` and \`all\` answer requests of merchants.`,
    );
  }
  problems.push(...findConsoleProblems(values), ...findMailProblems(values));
  problems.push(...findSingleSignOnProblems(values), ...findPlainLinks(values));
  if (environment === "dev" && port === shopPort && port !== 0) {
    problems.push(`PORT and SHOP_PORT are both ${port}. Choose another port for one of them.`);
  }
  return problems;
}

/** Finds settings of mails that do not fit the others. Only workers send mail, so only they need the server. */
function findMailProblems({ role, smtpUrl, mailFrom, alertMail }: Values): string[] {
  const problems: string[] = [];
  const sends = role === "all" || role === "worker";
  if (sends && smtpUrl === undefined && (mailFrom !== undefined || alertMail !== undefined)) {
    const name = mailFrom === undefined ? "EXCHANGE_ALERT_MAIL" : "EXCHANGE_MAIL_FROM";
    problems.push(
      `EXCHANGE_SMTP_URL must be set when ${name} is set and EXCHANGE_ROLE is ${role}.`,
    );
  }
  if (smtpUrl !== undefined && mailFrom === undefined) {
    problems.push("EXCHANGE_MAIL_FROM must be set when EXCHANGE_SMTP_URL is set.");
  }
  return problems;
}

/** Finds half of a single sign-on. A problem with the secret's file has a sentence of its own. */
function findSingleSignOnProblems(values: Values): string[] {
  const { ssoIssuer, ssoClientId, ssoClientSecret, ssoClientSecretFile, ssoName } = values;
  const all = [ssoIssuer, ssoClientId, ssoClientSecret, ssoClientSecretFile, ssoName];
  if (all.every((value) => value === undefined)) return [];
  const needed = [
    ["EXCHANGE_SSO_ISSUER", ssoIssuer],
    ["EXCHANGE_SSO_CLIENT_ID", ssoClientId],
    ["EXCHANGE_SSO_CLIENT_SECRET_FILE", ssoClientSecret ?? ssoClientSecretFile],
  ] as const;
  const missing = needed.filter(([, value]) => value === undefined).map(([name]) => name);
  if (values.environment === "prod" && ssoIssuer?.startsWith("http:")) {
    return ["EXCHANGE_SSO_ISSUER must begin with https:// when EXCHANGE_ENV is prod."];
  }
  if (missing.length === 0) return [];
  return [
    `${missing.join(" and ")} must be set for single sign-on. To switch it off, remove every EXCHANGE_SSO_ setting.`,
  ];
}

/** Finds settings of the console that do not fit the others. */
function findConsoleProblems(values: Values): string[] {
  const { environment, role, port, consolePort, consoleUrl } = values;
  if (role === "console" && consolePort === 0) {
    return ["EXCHANGE_CONSOLE_PORT must be set when EXCHANGE_ROLE is console."];
  }
  if (consolePort === 0 || (role !== "all" && role !== "console")) return [];
  const problems: string[] = [];
  if (environment !== "dev" && environment !== undefined && consoleUrl === undefined) {
    problems.push(
      `EXCHANGE_CONSOLE_URL must be set when EXCHANGE_CONSOLE_PORT is ${consolePort} and EXCHANGE_ENV is ${environment}.`,
    );
  }
  if (environment === "prod" && consoleUrl?.startsWith("http:")) {
    problems.push("EXCHANGE_CONSOLE_URL must begin with https:// when EXCHANGE_ENV is prod.");
  }
  if (consolePort === port) {
    problems.push(
      `PORT and EXCHANGE_CONSOLE_PORT are both ${port}. Choose another port for one of them.`,
    );
  }
  return problems;
}

/** Finds what would expose money in `prod`, unless its own setting allows it. */
function findExposures(values: Values): string[] {
  const { host, trustedProxies, role } = values;
  const problems: string[] = [];
  if (values.databaseUrl === undefined && role === "all" && !values.allowEmbeddedDatabase) {
    problems.push(
      "DATABASE_URL must be set when EXCHANGE_ENV is prod. To use the embedded PostgreSQL all the same, set EXCHANGE_ALLOW_EMBEDDED_DATABASE=true.",
    );
  }
  for (const { name, url } of [
    { name: "DATABASE_URL", url: values.databaseUrl },
    { name: "EXCHANGE_DATABASE_DIRECT_URL", url: values.databaseDirectUrl },
    { name: "EXCHANGE_DATABASE_STANDBY_URL", url: values.databaseStandbyUrl },
  ]) {
    if (url === undefined || isPrivateDatabase(url) || values.allowPlainDatabase) continue;
    problems.push(
      `${name} must end with ?sslmode=verify-full when EXCHANGE_ENV is prod and the database is on another machine. On a network that nobody else can read, set EXCHANGE_ALLOW_PLAIN_DATABASE=true.`,
    );
  }
  const isProxied = trustedProxies !== undefined && trustedProxies.length > 0;
  if (role !== "worker" && !isProxied && !isLoopback(host ?? "") && !values.allowPlainHttp) {
    problems.push(
      `EXCHANGE_TRUSTED_PROXIES must name the proxy that ends TLS when EXCHANGE_ENV is prod and HOST is ${host}. A proxy on this machine can use HOST=127.0.0.1. To listen in plain HTTP all the same, set EXCHANGE_ALLOW_PLAIN_HTTP=true.`,
    );
  }
  return problems;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/** The driver checks the certificate in these modes, unless it imitates libpq. */
const CHECKED_TLS = new Set(["require", "verify-ca", "verify-full"]);

/** Returns whether nobody on the network can read or change what the database is sent. */
function isPrivateDatabase(databaseUrl: string): boolean {
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/") || isLoopback(host)) return true;
  const imitatesLibpq = searchParams.get("uselibpqcompat") === "true";
  const mode = searchParams.get("sslmode") ?? "";
  return imitatesLibpq ? mode === "verify-full" : CHECKED_TLS.has(mode);
}

function toConfig(values: Values): Config {
  const { rateFactor, secretKeysFile, ...rest } = values;
  const dataDir = resolve(ROOT, values.dataDir);
  return Object.freeze({
    ...rest,
    dataDir,
    catalogueDir: resolve(ROOT, values.catalogueDir),
    railsFile: values.railsFile && resolve(ROOT, values.railsFile),
    secretKeysFile: secretKeysFile ? resolve(ROOT, secretKeysFile) : join(dataDir, "secret-keys"),
    rateLimits: multiplyRateLimits(
      {
        readsPerMinute: values.readsPerMinute,
        quotesPerMinute: values.quotesPerMinute,
        writesPerMinute: values.writesPerMinute,
        tokensPerMinute: values.tokensPerMinute,
        browserCallsPerMinute: values.browserCallsPerMinute,
        anonymousCallsPerMinute: values.anonymousCallsPerMinute,
        failedCredentialsPerFiveMinutes: values.failedCredentialsPerFiveMinutes,
      },
      rateFactor,
    ),
  });
}
