import { findPlainLinks } from "./settings/operator.ts";
import type { SettingValues } from "./settings.ts";

/** Finds settings that are valid alone but not together. Returns a sentence for each problem. */
export function contradictions(values: SettingValues): string[] {
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
function findMailProblems({ role, smtpUrl, mailFrom, alertMail }: SettingValues): string[] {
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
function findSingleSignOnProblems(values: SettingValues): string[] {
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
function findConsoleProblems(values: SettingValues): string[] {
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
function findExposures(values: SettingValues): string[] {
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
