import { MAIL_ADDRESS_PATTERN } from "@exchange/contract";
import type { SmtpServer } from "../../domain/ports/mailer.ts";
import { BadSetting, type Parser, parseList, parseText, parseWhole } from "../parsers.ts";

import { setting } from "../setting.ts";

const ADDRESS = new RegExp(MAIL_ADDRESS_PATTERN);
const NAME_AND_ADDRESS = /^[^<>"@,;:\\\p{Cc}]+ <([^<>]+)>$/u;
const ADDRESSES_MAX = 10;

/** Returns undefined for a text that is not percent-encoded properly. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Reads the address of a mail server. The default port is that of the scheme. */
const parseSmtpUrl: Parser<SmtpServer> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "smtp:" && url?.protocol !== "smtps:") {
    throw new BadSetting("must be an address such as smtps://user:password@mail.example.com:465");
  }
  const [user, pass] = [decode(url.username), decode(url.password)];
  if (user === undefined || pass === undefined || (user === "") !== (pass === "")) {
    throw new BadSetting("must have a user name and a password, percent-encoded, or neither");
  }
  const options = [...url.searchParams];
  const isPlain = options.length === 1 && url.search === "?tls=none";
  if (url.hostname === "" || !["", "/"].includes(url.pathname) || url.hash !== "") {
    throw new BadSetting("must have a host, and no path or fragment");
  }
  if (options.length > 0 && !(isPlain && url.protocol === "smtp:")) {
    throw new BadSetting("must end with the port, or with ?tls=none after smtp://");
  }
  const isImplicit = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (isImplicit ? 465 : 587),
    tls: isImplicit ? "implicit" : isPlain ? "none" : "starttls",
    login: user === "" ? undefined : { user, pass },
  };
};

const parseMailFrom: Parser<string> = (text) => {
  const address = NAME_AND_ADDRESS.exec(text)?.[1] ?? text;
  if (ADDRESS.test(address)) return text;
  throw new BadSetting(
    "must be an address such as pay@example.com or Example Pay <pay@example.com>",
  );
};

const parseMailAddresses: Parser<readonly string[]> = (text) => {
  const addresses = parseList(text);
  if (addresses.length > 0 && addresses.length <= ADDRESSES_MAX) {
    if (addresses.every((address) => ADDRESS.test(address))) return addresses;
  }
  throw new BadSetting(
    `must be 1 to ${ADDRESSES_MAX} addresses such as ops@example.com, separated by commas`,
  );
};

/** The mail server, and mails to customers and to the operator. */
export const MAIL_SETTINGS = {
  smtpUrl: setting({
    name: "EXCHANGE_SMTP_URL",
    default: undefined,
    defaultWords: "no mail",
    isSecret: true,
    description:
      "Mail server of the workers: `smtps://user:password@host:465` for TLS, or `smtp://user:password@host:587` for STARTTLS, which is required. `?tls=none` allows a relay without TLS in your network. A character of the password that an address may not have is percent-encoded (`docs/operating/mail.md`).",
    parse: parseSmtpUrl,
  }),
  smtpUrlFile: setting({
    name: "EXCHANGE_SMTP_URL_FILE",
    default: undefined,
    description:
      "File that holds the value of `EXCHANGE_SMTP_URL`, instead of the variable. It is as private as the secret keys file.",
    parse: parseText,
  }),
  mailFrom: setting({
    name: "EXCHANGE_MAIL_FROM",
    default: undefined,
    defaultWords: "the checkout offers no mail",
    description:
      "Sender of mails, such as `Example Pay <pay@example.com>`. With it the checkout offers to mail the order's page and a receipt, and the console to mail invitations. Set it for the API, the console and the workers, which also need `EXCHANGE_SMTP_URL`.",
    parse: parseMailFrom,
  }),
  mailsPerHour: setting({
    name: "EXCHANGE_MAILS_PER_HOUR",
    default: "1000",
    description:
      "Mails to customers and invitations that all workers together send in an hour. More of them wait for the next hour. Messages to the operator do not count (`docs/operating/mail.md`).",
    parse: parseWhole(1, 1_000_000),
  }),
  alertMail: setting({
    name: "EXCHANGE_ALERT_MAIL",
    default: undefined,
    defaultWords: "no messages",
    description:
      "Addresses, separated by commas, that are mailed when something needs a person, and when it has ended. It works beside `EXCHANGE_ALERT_WEBHOOK_URL` (`docs/operating/monitoring.md`).",
    parse: parseMailAddresses,
  }),
} as const;
