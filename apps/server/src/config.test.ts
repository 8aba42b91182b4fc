import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Setting } from "./config/setting.ts";
import { SETTINGS } from "./config/settings.ts";
import { ConfigError, readConfig } from "./config.ts";

function problemsOf(variables: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
const HOSTED = {
  EXCHANGE_ENV: "prod",
  EXCHANGE_PUBLIC_URL: "https://pay.example.com",
  EXCHANGE_TRUSTED_PROXIES: "10.0.0.2",
  DATABASE_URL: "postgres://exchange:p@db.example.com/exchange?sslmode=verify-full",
};

test("without any variable the service is a dev installation on its documented ports", () => {
  expect(readConfig({})).toMatchObject({
    environment: "dev",
    port: 8080,
    shopPort: 8081,
    host: "localhost",
    dataDir: resolve(".data"),
    secretKeysFile: resolve(".data/secret-keys"),
    allowLoopbackWebhooks: true,
    databaseUrl: undefined,
  });
});

test("an empty variable counts as not set", () => {
  expect(readConfig({ PORT: "", DATABASE_URL: "" })).toEqual(readConfig({}));
});

test("every bad setting is reported at once, by its name and with its text", () => {
  const problems = problemsOf({
    PORT: "80a",
    SHOP_PORT: "70000",
    EXCHANGE_ENV: "test",
    DATABASE_URL: "mysql://x",
    EXCHANGE_PUBLIC_URL: "https://pay.example.com/path",
    EXCHANGE_RATE_READS: "0",
    EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS: "yes",
  }).join("\n");
  expect(problems).toContain('PORT must be a whole number from 0 to 65535, not "80a".');
  expect(problems).toContain('EXCHANGE_ENV must be one of dev, staging, prod, not "test".');
  for (const name of ["SHOP_PORT", "DATABASE_URL", "PUBLIC_URL", "RATE_READS", "LOOPBACK"]) {
    expect(problems).toContain(name);
  }
});

test("a misspelt EXCHANGE_ variable is an error, one of the demo shop is not", () => {
  expect(problemsOf({ EXCHANGE_EVN: "prod" })[0]).toContain("EXCHANGE_EVN is not a setting");
  expect(problemsOf({ EXCHANGE_API_KEY: "k", EXCHANGE_URL: "u", EXCHANGEX: "1" })).toEqual([]);
});

/** The variables of a pod beside a service of this name (kubernetes.io, "Discovering Services"). */
const podOf = (name: string): NodeJS.ProcessEnv => ({
  [`${name}_SERVICE_HOST`]: "10.96.12.3",
  [`${name}_SERVICE_PORT`]: "80",
  [`${name}_SERVICE_PORT_HTTP`]: "80",
  [`${name}_PORT`]: "tcp://10.96.12.3:80",
  [`${name}_PORT_80_TCP`]: "tcp://10.96.12.3:80",
  [`${name}_PORT_80_TCP_PROTO`]: "tcp",
  [`${name}_PORT_80_TCP_PORT`]: "80",
  [`${name}_PORT_80_TCP_ADDR`]: "10.96.12.3",
});

test.each(["EXCHANGE", "EXCHANGE_API"])(
  "variables that Kubernetes sets for a service %s are not settings, and misspelt ones are errors",
  (name) => {
    expect(problemsOf({ ...podOf(name), EXCHANGE_HEALTH_PORT: "9464" })).toEqual([]);
    const misspelt = {
      EXCHANGE_PROT: "80",
      EXCHANGE_OTHER_PORT: "9464",
      EXCHANGE_PORTS: "tcp://x",
    };
    expect(problemsOf({ ...podOf(name), ...misspelt })).toEqual([
      expect.stringContaining("EXCHANGE_PROT"),
      expect.stringContaining("EXCHANGE_OTHER_PORT"),
      expect.stringContaining("EXCHANGE_PORTS"),
      expect.stringContaining("docs/reference/configuration.md"),
    ]);
    // Without the service the same variables are a mistake.
    expect(problemsOf({ EXCHANGE_PORT: "tcp://10.96.12.3:80" })).toHaveLength(2);
  },
);

test("the address of the database may be in a private file", () => {
  const path = join(mkdtempSync(join(tmpdir(), "exchange-url-")), "database-url");
  writeFileSync(path, `${HOSTED.DATABASE_URL}\n`, { mode: 0o600 });
  const { DATABASE_URL: databaseUrl, ...hosted } = HOSTED;
  const variables = { ...hosted, DATABASE_URL_FILE: path };
  expect(readConfig(variables).databaseUrl).toBe(databaseUrl);
  expect(problemsOf({ ...HOSTED, ...variables }).join()).toContain("are both set");
  chmodSync(path, 0o644);
  expect(problemsOf(variables).join()).toContain(`chmod 600 ${path}`);
  chmodSync(path, 0o600);
  writeFileSync(path, "mysql://root:sesame@host");
  expect(problemsOf(variables).join()).toMatch(/must be an address such as(?![^]*sesame)/);
  expect(problemsOf({ ...hosted, DATABASE_URL_FILE: "/nowhere" }).join()).toContain("/nowhere");
});

test("dev multiplies the rate limits by 50 and prod leaves them as documented", () => {
  expect(readConfig({}).rateLimits.tokensPerMinute).toBe(6000);
  expect(readConfig(HOSTED).rateLimits).toMatchObject({
    readsPerMinute: 600,
    quotesPerMinute: 300,
    writesPerMinute: 300,
    tokensPerMinute: 120,
    browserCallsPerMinute: 60,
    failedCredentialsPerFiveMinutes: 20,
  });
});

test("prod demands a public HTTPS address and refuses what is for sandboxes", () => {
  const bare = problemsOf({ EXCHANGE_ENV: "prod" }).join("\n");
  expect(bare).toContain("EXCHANGE_PUBLIC_URL must be set");
  const http = problemsOf({ ...HOSTED, EXCHANGE_PUBLIC_URL: "http://pay.example.com" });
  expect(http[0]).toContain("https://");
  const loopback = problemsOf({ ...HOSTED, EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS: "true" });
  expect(loopback[0]).toContain("EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS");
  const failpoint = problemsOf({ ...HOSTED, EXCHANGE_FAILPOINT: "order.after_place" });
  expect(failpoint[0]).toContain("EXCHANGE_FAILPOINT");
});

test("only dev lets merchants move the shared clock and reach loopback addresses", () => {
  const staging = { EXCHANGE_ENV: "staging", EXCHANGE_PUBLIC_URL: "https://sandbox.example.com" };
  const CLOSED = { allowLoopbackWebhooks: false, allowMerchantClock: false };
  expect(readConfig({})).toMatchObject({ allowLoopbackWebhooks: true, allowMerchantClock: true });
  expect(readConfig(staging)).toMatchObject(CLOSED);
  expect(readConfig(HOSTED)).toMatchObject(CLOSED);
  const clock = problemsOf({ ...HOSTED, EXCHANGE_ALLOW_MERCHANT_CLOCK: "true" });
  expect(clock[0]).toContain("EXCHANGE_ALLOW_MERCHANT_CLOCK");
});

test("prod refuses the embedded database unless a setting allows it", () => {
  const embedded = { ...HOSTED, DATABASE_URL: "" };
  expect(problemsOf(embedded)[0]).toContain("EXCHANGE_ALLOW_EMBEDDED_DATABASE=true");
  expect(problemsOf({ ...embedded, EXCHANGE_ALLOW_EMBEDDED_DATABASE: "true" })).toEqual([]);
});

test("a proxy that is not an address is refused at the start, and networks are accepted", () => {
  const of = (EXCHANGE_TRUSTED_PROXIES: string) =>
    problemsOf({ ...HOSTED, EXCHANGE_TRUSTED_PROXIES });
  expect(of("10.0.0.2, 10.1.0.0/16, ::1, fd00::/8, loopback")).toEqual([]);
  for (const wrong of ["proxy.example.com", "10.0.0.0/33", "${PROXIES:-}", "10.0.0.2;10.0.0.3"])
    expect(of(`127.0.0.1,${wrong}`).join()).toContain(
      "EXCHANGE_TRUSTED_PROXIES must hold addresses",
    );
});

test.each(["0.0.0.0", "::", "192.0.2.1", "pay.example.com"])(
  "prod refuses plain HTTP on %s without a trusted proxy unless a setting allows it",
  (HOST) => {
    const bare = { ...HOSTED, HOST, EXCHANGE_TRUSTED_PROXIES: "" };
    expect(problemsOf(bare)[0]).toContain("EXCHANGE_TRUSTED_PROXIES must name the proxy");
    expect(problemsOf({ ...bare, EXCHANGE_ALLOW_PLAIN_HTTP: "true" })).toEqual([]);
    expect(problemsOf({ ...bare, HOST: "127.0.0.1" })).toEqual([]);
    expect(problemsOf({ ...bare, EXCHANGE_ROLE: "worker" })).toEqual([]);
  },
);

test.each([
  "postgres://u:p@db.example.com/x",
  "postgres://u:p@10.0.0.5/x?sslmode=disable",
  "postgres://u:p@10.0.0.5/x?sslmode=prefer",
  "postgres://u:p@10.0.0.5/x?sslmode=no-verify",
  "postgres://u:p@10.0.0.5/x?sslmode=require&uselibpqcompat=true",
  "postgres://u:p@localhost/x?host=db.example.com",
])("prod refuses the database %s unless a setting allows it", (DATABASE_URL) => {
  const plain = { ...HOSTED, DATABASE_URL };
  expect(problemsOf(plain)[0]).toContain("sslmode=verify-full");
  expect(problemsOf({ ...plain, EXCHANGE_ALLOW_PLAIN_DATABASE: "true" })).toEqual([]);
});

test("prod refuses an address past the pooler that anybody can read, and one without a pooler is refused", () => {
  const direct = { EXCHANGE_DATABASE_DIRECT_URL: "postgres://10.0.0.5/x" };
  expect(problemsOf({ ...HOSTED, ...direct })[0]).toContain(
    "EXCHANGE_DATABASE_DIRECT_URL must end",
  );
  expect(problemsOf(direct)[0]).toBe(
    "DATABASE_URL must be set when EXCHANGE_DATABASE_DIRECT_URL is.",
  );
});

test.each([
  "postgres://u:p@localhost/x",
  "postgres://u:p@127.0.0.1:5432/x",
  "postgres://u:p@[::1]/x",
  "postgres://u@%2Fvar%2Frun%2Fpostgresql/x",
  "postgres:///x?host=/var/run/postgresql",
  "postgres://u:p@db.example.com/x?sslmode=require",
])("prod accepts the database %s", (DATABASE_URL) => {
  expect(problemsOf({ ...HOSTED, DATABASE_URL })).toEqual([]);
});

test.each([
  ["EXCHANGE_RETENTION_ORDERS_DAYS", "29"],
  ["EXCHANGE_RETENTION_ORDERS_DAYS", "forever"],
  ["EXCHANGE_RETENTION_SESSIONS_DAYS", "1"],
  ["EXCHANGE_RETENTION_WALLETS_DAYS", "0"],
  ["EXCHANGE_RETENTION_ADDRESSES_DAYS", "-1"],
])("the retention %s of %s days is refused", (name, days) => {
  expect(problemsOf({ [name]: days })[0]).toMatch(
    new RegExp(`${name} must be a whole number from`),
  );
});

test("one port for the service and the shop is refused", () => {
  expect(problemsOf({ PORT: "9000", SHOP_PORT: "9000" })[0]).toContain("both 9000");
  expect(problemsOf({ PORT: "0", SHOP_PORT: "0" })).toEqual([]);
});

test("a role needs a database that others can reach, and a worker answers no requests", () => {
  expect(problemsOf({ EXCHANGE_ROLE: "api" })[0]).toContain("DATABASE_URL");
  const database = { DATABASE_URL: "postgres://localhost/exchange" };
  expect(problemsOf({ EXCHANGE_ROLE: "api", EXCHANGE_WORKERS: "4", ...database })).toEqual([]);
  const worker = problemsOf({ EXCHANGE_ROLE: "worker", EXCHANGE_WORKERS: "4", ...database });
  expect(worker[0]).toContain("EXCHANGE_WORKERS");
});

const HEAD = `# Configuration

Every setting is an environment variable, read once at start. The service does not start with a bad value, or with
a variable that begins with \`EXCHANGE_\` and is not listed here. It reports all of them at once. No secret has a
default. This page is generated from \`apps/server/src/config/settings.ts\`.

| Variable | Default | Meaning |
|---|---|---|
`;

/** Returns the text of docs/reference/configuration.md. */
function describeSettings(): string {
  const rows = Object.values(SETTINGS).map(
    (one: Setting<unknown>) => `| \`${one.name}\` | ${defaultWords(one)} | ${one.description} |`,
  );
  return `${HEAD}${rows.join("\n")}\n`;
}

function defaultWords(one: Setting<unknown>): string {
  if (one.defaultWords !== undefined) return one.defaultWords;
  if (one.default === undefined || one.default === "") return "none";
  if (typeof one.default === "string") return `\`${one.default}\``;
  const { dev, staging, prod } = one.default;
  if (staging === prod) return `\`${dev}\` in \`dev\`, else \`${prod}\``;
  return `\`${dev}\` in \`dev\`, \`${staging}\` in \`staging\`, \`${prod}\` in \`prod\``;
}

// After a change of the table: npm test -- --project unit config.test -u
test("docs/reference/configuration.md is what the table of settings says", async () => {
  const page = new URL("../../../docs/reference/configuration.md", import.meta.url);
  await expect(describeSettings()).toMatchFileSnapshot(fileURLToPath(page));
});
