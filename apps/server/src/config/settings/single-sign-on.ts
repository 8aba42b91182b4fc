import { BadSetting, type Parser, parseText } from "../parsers.ts";
import { setting } from "../setting.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Reads the issuer of an identity provider. Its text is not normalized: it must equal the name in the provider's tokens. */
const parseIssuer: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isTls = url?.protocol === "https:";
  if (!isTls && !(url?.protocol === "http:" && LOOPBACK.includes(url.hostname))) {
    throw new BadSetting(
      "must be an address such as https://login.example.com/realms/staff (http:// on this machine only)",
    );
  }
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
    throw new BadSetting("must hold no user name, query or fragment");
  }
  if (text.includes("/.well-known/")) {
    throw new BadSetting("must end before /.well-known/openid-configuration");
  }
  return text;
};

const parseClientSecret: Parser<string> = (text) => {
  if (text !== "") return text;
  throw new BadSetting("must be the secret that the identity provider shows for the client");
};

const NAME_LENGTH_MAX = 40;

const parseProviderName: Parser<string> = (text) => {
  if (text.trim() === text && text.length <= NAME_LENGTH_MAX && !/\p{Cc}/u.test(text)) return text;
  throw new BadSetting(`must be 1 to ${NAME_LENGTH_MAX} characters, such as Example Login`);
};

/** Single sign-on of people of the console, by OpenID Connect. */
export const SINGLE_SIGN_ON_SETTINGS = {
  ssoIssuer: setting({
    name: "EXCHANGE_SSO_ISSUER",
    default: undefined,
    defaultWords: "no single sign-on",
    description:
      "Issuer of the identity provider with which people of the console may sign in, as the provider's `/.well-known/openid-configuration` names it. It needs `EXCHANGE_SSO_CLIENT_ID` and the client's secret (`docs/operating/console.md`).",
    parse: parseIssuer,
  }),
  ssoClientId: setting({
    name: "EXCHANGE_SSO_CLIENT_ID",
    default: undefined,
    description: "The console's client id at the identity provider.",
    parse: parseText,
  }),
  ssoClientSecret: setting({
    name: "EXCHANGE_SSO_CLIENT_SECRET",
    default: undefined,
    isSecret: true,
    description: "The console's client secret at the identity provider.",
    parse: parseClientSecret,
  }),
  ssoClientSecretFile: setting({
    name: "EXCHANGE_SSO_CLIENT_SECRET_FILE",
    default: undefined,
    description:
      "File that holds the value of `EXCHANGE_SSO_CLIENT_SECRET`, instead of the variable. It is as private as the secret keys file.",
    parse: parseText,
  }),
  ssoName: setting({
    name: "EXCHANGE_SSO_NAME",
    default: undefined,
    defaultWords: "the issuer's host",
    description: "Name of the identity provider on the button, at most 40 characters.",
    parse: parseProviderName,
  }),
} as const;
