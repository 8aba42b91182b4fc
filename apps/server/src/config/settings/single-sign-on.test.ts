import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "../../config.ts";

const WHOLE = {
  EXCHANGE_SSO_ISSUER: "https://login.example.com/realms/staff",
  EXCHANGE_SSO_CLIENT_ID: "exchange",
  EXCHANGE_SSO_CLIENT_SECRET: "sesame",
};

function problemsOf(variables: NodeJS.ProcessEnv): string {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join("\n");
    throw error;
  }
  return "";
}

test("single sign-on is off without settings, and needs issuer, client id and secret together", () => {
  expect(readConfig({}).ssoIssuer).toBeUndefined();
  expect(readConfig(WHOLE)).toMatchObject({ ssoIssuer: WHOLE.EXCHANGE_SSO_ISSUER });
  for (const name of Object.keys(WHOLE)) {
    const problems = problemsOf({ ...WHOLE, [name]: undefined });
    expect(problems).toContain(`${name.replace(/SECRET$/, "SECRET_FILE")} must be set`);
    expect(problems).not.toContain("sesame");
  }
  expect(problemsOf({ EXCHANGE_SSO_NAME: "Example Login" })).toContain(
    "remove every EXCHANGE_SSO_",
  );
});

test.each([
  "login.example.com",
  "http://login.example.com",
  "https://user:pass@login.example.com",
  "https://login.example.com?tenant=1",
  "https://login.example.com/.well-known/openid-configuration",
])("%s is not an issuer", (issuer) => {
  expect(problemsOf({ ...WHOLE, EXCHANGE_SSO_ISSUER: issuer })).toMatch(
    /^EXCHANGE_SSO_ISSUER must /,
  );
});

test("an issuer of this machine may have no TLS outside of prod, and the text of an issuer stays as it is", () => {
  for (const issuer of ["http://localhost:9000", "https://login.example.com/"]) {
    expect(readConfig({ ...WHOLE, EXCHANGE_SSO_ISSUER: issuer }).ssoIssuer).toBe(issuer);
  }
  const prod = { ...WHOLE, EXCHANGE_ENV: "prod", EXCHANGE_SSO_ISSUER: "http://localhost:9000" };
  expect(problemsOf(prod)).toContain("EXCHANGE_SSO_ISSUER must begin with https://");
});

test("the client secret may be in a private file", () => {
  const path = join(mkdtempSync(join(tmpdir(), "exchange-sso-")), "client-secret");
  writeFileSync(path, "sesame\n", { mode: 0o600 });
  const { EXCHANGE_SSO_CLIENT_SECRET: _secret, ...rest } = WHOLE;
  const variables = { ...rest, EXCHANGE_SSO_CLIENT_SECRET_FILE: path };
  expect(readConfig(variables).ssoClientSecret).toBe("sesame");
  writeFileSync(path, "\n");
  expect(problemsOf(variables)).toContain("must be the secret");
  chmodSync(path, 0o644);
  const problems = problemsOf(variables);
  expect(problems).toContain(`chmod 600 ${path}`);
  expect(problems).not.toContain("must be set");
});
