import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "../../config.ts";

const FROM = { EXCHANGE_MAIL_FROM: "Example Pay <pay@example.com>" };
const smtp = (url: string) => readConfig({ ...FROM, EXCHANGE_SMTP_URL: url }).smtpUrl;
function problemsOf(variables: NodeJS.ProcessEnv): string {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join("\n");
    throw error;
  }
  return "";
}

test("the scheme chooses TLS and the port, and the login is decoded", () => {
  expect(smtp("smtps://exchange:pass%40word@mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 465,
    tls: "implicit",
    login: { user: "exchange", pass: "pass@word" },
  });
  expect(smtp("smtp://mail.example.com")).toMatchObject({ port: 587, tls: "starttls" });
  expect(smtp("smtp://[::1]:25?tls=none")).toEqual({
    host: "::1",
    port: 25,
    tls: "none",
    login: undefined,
  });
});

test.each([
  "mail.example.com:587",
  "https://mail.example.com",
  "smtp://sesame@mail.example.com",
  "smtp://user:sesame%@mail.example.com",
  "smtp://user:sesame@mail.example.com/path",
  "smtp://user:sesame@mail.example.com?tls=no",
  "smtps://user:sesame@mail.example.com?tls=none",
  "smtp://user:sesame@mail.example.com?tls=none&tls=none",
])("%s is refused, and the error shows no password", (url) => {
  const problems = problemsOf({ ...FROM, EXCHANGE_SMTP_URL: url });
  expect(problems).toMatch(/^EXCHANGE_SMTP_URL must /);
  expect(problems).not.toContain("sesame");
});

test.each([
  "pay",
  "pay@localhost",
  "a@example.com, b@example.com",
  "Pay <pay@example.com",
  "a\nb <a@b.example>",
])("%j is not a sender", (from) => {
  expect(problemsOf({ EXCHANGE_MAIL_FROM: from, EXCHANGE_SMTP_URL: "smtp://x" })).toMatch(
    /^EXCHANGE_MAIL_FROM must be an address/,
  );
});

test("only workers need the server, and a server needs a sender", () => {
  expect(problemsOf({ ...FROM })).toMatch(/^EXCHANGE_SMTP_URL must be set when EXCHANGE_MAIL_FROM/);
  const api = { EXCHANGE_ROLE: "api", DATABASE_URL: "postgres://localhost/exchange" };
  expect(readConfig({ ...api, ...FROM }).mailFrom).toBe(FROM.EXCHANGE_MAIL_FROM);
  expect(problemsOf({ EXCHANGE_SMTP_URL: "smtp://mail.example.com" })).toMatch(
    /^EXCHANGE_MAIL_FROM must be set/,
  );
  expect(problemsOf({ EXCHANGE_ALERT_MAIL: "ops@example.com" })).toMatch(/^EXCHANGE_SMTP_URL/);
  expect(problemsOf({ EXCHANGE_ALERT_MAIL: "ops" })).toContain(
    "EXCHANGE_ALERT_MAIL must be 1 to 10",
  );
});

test("the address of the mail server may be in a private file", () => {
  const path = join(mkdtempSync(join(tmpdir(), "exchange-smtp-")), "smtp-url");
  writeFileSync(path, "smtps://exchange:sesame@mail.example.com\n", { mode: 0o600 });
  const variables = { ...FROM, EXCHANGE_SMTP_URL_FILE: path };
  expect(readConfig(variables).smtpUrl?.login?.pass).toBe("sesame");
  chmodSync(path, 0o644);
  expect(problemsOf(variables)).toContain(`chmod 600 ${path}`);
});
