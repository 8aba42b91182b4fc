import { parseNetwork } from "../domain/merchants/networks.ts";
import { assertAllowedTarget, operatorPolicy } from "../domain/webhooks/targets.ts";

/** A setting has a bad value. The message follows the setting's name, as in "PORT must be …". */
export class BadSetting extends Error {}

export type Parser<T> = (text: string) => T;

export const parseText: Parser<string> = (text) => text;

export const parseOneOf =
  <const T extends string>(choices: readonly T[]): Parser<T> =>
  (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new BadSetting(`must be one of ${choices.join(", ")}`);
    return choice;
  };

export const parseWhole =
  (min: number, max: number): Parser<number> =>
  (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new BadSetting(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };

/** Reads a share of the whole. */
export const parseShare: Parser<number> = (text) => {
  const share = /^(0|1|0\.\d{1,6}|1\.0{1,6})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(share)) throw new BadSetting("must be a number from 0 to 1, such as 0.05");
  return share;
};

export const parseYesNo: Parser<boolean> = (text) => {
  if (text !== "true" && text !== "false") throw new BadSetting("must be true or false");
  return text === "true";
};

export const parseList: Parser<readonly string[]> = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Groups of addresses that Fastify knows by a name. */
const ADDRESS_GROUPS = ["loopback", "linklocal", "uniquelocal"];

/** Reads addresses of proxies. A name is refused, because it could not be compared with a connection's address. */
export const parseProxies: Parser<readonly string[]> = (text) => {
  const proxies = parseList(text);
  const isKnown = (proxy: string): boolean =>
    ADDRESS_GROUPS.includes(proxy) || parseNetwork(proxy) !== undefined;
  const unknown = proxies.filter((proxy) => !isKnown(proxy));
  if (unknown.length === 0) return proxies;
  throw new BadSetting(
    `must hold addresses such as 10.0.0.2, networks such as 10.0.0.0/8, or ${ADDRESS_GROUPS.join(", ")}, and not ${unknown.join(", ")}`,
  );
};

/** Reads an origin. A slash at its end is removed. */
export const parseOrigin: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new BadSetting("must be an address such as https://pay.example.com");
  }
  if (url.origin !== text.replace(/\/$/, "")) {
    throw new BadSetting("must hold no path, query or user name, only https://host[:port]");
  }
  return url.origin;
};

export const parseDatabaseUrl: Parser<string> = (text) => {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new BadSetting("must be an address such as postgres://user:password@host:5432/database");
  }
  return text;
};

/** Reads an address for the operator's messages. */
export const parseTarget: Parser<string> = (text) => {
  try {
    return assertAllowedTarget(text, operatorPolicy(URL.canParse(text) ? text : "https://x")).href;
  } catch {
    throw new BadSetting(
      "must be an address such as https://chat.example.com/hook, or http:// in a private network",
    );
  }
};
