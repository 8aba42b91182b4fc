import type { OperatorCard } from "../../domain/operators/operator.ts";
import { BadSetting, type Parser } from "../parsers.ts";
import { setting } from "../setting.ts";

const NAME_MAX = 80;
const LICENCE_MAX = 120;
const NOTICE_MAX = 400;
const ADDRESS_MAX = 500;

// Marks of direction could reorder the sentences around the text.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Reads a plain text in one line for customers. */
const parseWords =
  (max: number): Parser<string> =>
  (text) => {
    if (text.trim() === text && text.length <= max && !INVISIBLE.test(text) && !/[<>]/.test(text)) {
      return text;
    }
    throw new BadSetting(
      `must be plain text in one line of at most ${max} characters, without < or > and without spaces at its ends`,
    );
  };

/** Reads the address of a page, or of a mailbox where `schemes` has it. */
const parseLink =
  (schemes: readonly string[], words: string): Parser<string> =>
  (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isAllowed = url !== undefined && schemes.includes(url.protocol);
    const isTidy = text.length <= ADDRESS_MAX && !INVISIBLE.test(text) && !/[\s<>"]/.test(text);
    const isWhole = url?.protocol === "mailto:" ? /^[^@]+@[^@]+$/.test(url.pathname) : true;
    if (isAllowed && isTidy && isWhole && url.username === "" && url.password === "") {
      return url.href;
    }
    throw new BadSetting(`must be ${words}, of at most ${ADDRESS_MAX} characters`);
  };

const parsePage = parseLink(
  ["https:", "http:"],
  "an address such as https://pay.example.com/terms without a user name",
);

/** The operator as customers see it in the checkout. */
export const OPERATOR_SETTINGS = {
  operatorName: setting({
    name: "EXCHANGE_OPERATOR_NAME",
    default: undefined,
    description:
      "Name of the company that operates this installation, at the foot of every screen of the checkout (`docs/operating/go-live.md`).",
    parse: parseWords(NAME_MAX),
  }),
  operatorLicence: setting({
    name: "EXCHANGE_OPERATOR_LICENCE",
    default: undefined,
    description:
      "Licence or registration of the operator, such as `MSB registration M12345678, FINTRAC`. It stands beside the name.",
    parse: parseWords(LICENCE_MAX),
  }),
  termsUrl: setting({
    name: "EXCHANGE_TERMS_URL",
    default: undefined,
    description:
      "Address of the operator's terms. The checkout links it beside the button that places the order. Must be HTTPS outside `dev`.",
    parse: parsePage,
  }),
  privacyUrl: setting({
    name: "EXCHANGE_PRIVACY_URL",
    default: undefined,
    description:
      "Address of the operator's privacy policy, linked beside the terms. Must be HTTPS outside `dev`.",
    parse: parsePage,
  }),
  helpUrl: setting({
    name: "EXCHANGE_HELP_URL",
    default: undefined,
    description:
      "Address at which customers get help: a page, or `mailto:help@example.com`. A page must be HTTPS outside `dev`.",
    parse: parseLink(
      ["https:", "http:", "mailto:"],
      "an address such as https://pay.example.com/help or mailto:help@example.com",
    ),
  }),
  riskNotice: setting({
    name: "EXCHANGE_RISK_NOTICE",
    default: undefined,
    description: `Warning about the risk of coins, plain text of at most ${NOTICE_MAX} characters. It stands on the first screen and on the review of orders that deliver coins.`,
    parse: parseWords(NOTICE_MAX),
  }),
} as const;

/** The values of these settings. */
type OperatorValues = { readonly [Key in keyof typeof OPERATOR_SETTINGS]: string | undefined };

/** Finds links for customers that do not use TLS outside `dev`. */
export function findPlainLinks({
  environment,
  termsUrl,
  privacyUrl,
  helpUrl,
}: OperatorValues & { readonly environment: string }): string[] {
  const links = [
    ["EXCHANGE_TERMS_URL", termsUrl],
    ["EXCHANGE_PRIVACY_URL", privacyUrl],
    ["EXCHANGE_HELP_URL", helpUrl],
  ] as const;
  if (environment === "dev") return [];
  return links
    .filter(([, url]) => url?.startsWith("http:"))
    .map(([name]) => `${name} must begin with https:// when EXCHANGE_ENV is ${environment}.`);
}

/** Returns the operator as the session names it, or undefined where nothing of it is set. */
export function operatorOf(config: OperatorValues): OperatorCard | undefined {
  const { operatorName, operatorLicence, termsUrl, privacyUrl, helpUrl, riskNotice } = config;
  const operator = {
    ...(operatorName !== undefined && { name: operatorName }),
    ...(operatorLicence !== undefined && { licence: operatorLicence }),
    ...(termsUrl !== undefined && { termsUrl }),
    ...(privacyUrl !== undefined && { privacyUrl }),
    ...(helpUrl !== undefined && { helpUrl }),
    ...(riskNotice !== undefined && { riskNotice }),
  };
  return Object.keys(operator).length === 0 ? undefined : operator;
}
