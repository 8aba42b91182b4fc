import { expect, test } from "vitest";
import { ConfigError, readConfig } from "../../config.ts";

function problemsOf(variables: NodeJS.ProcessEnv): string {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join("\n");
    throw error;
  }
  return "";
}

test("the operator's name, licence, links and notice are read, and each may be absent", () => {
  expect(
    readConfig({
      EXCHANGE_OPERATOR_NAME: "Müller & Söhne Pay GmbH",
      EXCHANGE_OPERATOR_LICENCE: "MSB registration M12345678, FINTRAC",
      EXCHANGE_TERMS_URL: "http://localhost:9000/terms",
      EXCHANGE_HELP_URL: "mailto:help@example.com",
      EXCHANGE_RISK_NOTICE: "Prices of coins can fall. You may lose all of your money.",
    }),
  ).toMatchObject({
    operatorName: "Müller & Söhne Pay GmbH",
    operatorLicence: "MSB registration M12345678, FINTRAC",
    termsUrl: "http://localhost:9000/terms",
    privacyUrl: undefined,
    helpUrl: "mailto:help@example.com",
    riskNotice: "Prices of coins can fall. You may lose all of your money.",
  });
});

test.each([
  ["EXCHANGE_TERMS_URL", "javascript:alert(1)"],
  ["EXCHANGE_TERMS_URL", "mailto:help@example.com"],
  ["EXCHANGE_PRIVACY_URL", "data:text/html,hello"],
  ["EXCHANGE_PRIVACY_URL", "https://user:password@example.com/privacy"],
  ["EXCHANGE_PRIVACY_URL", "/privacy"],
  ["EXCHANGE_HELP_URL", "JavaScript:alert(1)"],
  ["EXCHANGE_HELP_URL", "java\nscript:alert(1)"],
  ["EXCHANGE_HELP_URL", "mailto:"],
  ["EXCHANGE_HELP_URL", `https://example.com/${"a".repeat(500)}`],
])("%s refuses the address %j", (name, value) => {
  expect(problemsOf({ [name]: value })).toMatch(new RegExp(`^${name} must be an address such as`));
});

test.each([
  ["EXCHANGE_OPERATOR_NAME", "<b>Pay</b>"],
  ["EXCHANGE_OPERATOR_NAME", "Pay\u202eyaP"],
  ["EXCHANGE_OPERATOR_NAME", "a".repeat(81)],
  ["EXCHANGE_OPERATOR_LICENCE", "MSB\nM12345678"],
  ["EXCHANGE_RISK_NOTICE", "a".repeat(401)],
  ["EXCHANGE_RISK_NOTICE", " "],
])("%s refuses the text %j", (name, value) => {
  expect(problemsOf({ [name]: value })).toMatch(new RegExp(`^${name} must be plain text`));
});

test("customers are sent to HTTPS alone outside dev", () => {
  const staging = { EXCHANGE_ENV: "staging", EXCHANGE_PUBLIC_URL: "https://pay.example.com" };
  for (const name of ["EXCHANGE_TERMS_URL", "EXCHANGE_PRIVACY_URL", "EXCHANGE_HELP_URL"]) {
    expect(problemsOf({ ...staging, [name]: "http://example.com/x" })).toContain(
      `${name} must begin with https:// when EXCHANGE_ENV is staging.`,
    );
  }
  expect(problemsOf({ ...staging, EXCHANGE_HELP_URL: "mailto:a@example.com" })).not.toContain(
    "EXCHANGE_HELP_URL",
  );
});
