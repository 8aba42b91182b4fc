import { addressKind, isPrivateAddress } from "./addresses.ts";

/** Which webhook targets an installation allows. */
export interface TargetPolicy {
  /** Also allows plain HTTP, loopback addresses and any port. Never in `prod`. */
  readonly allowSandboxTargets: boolean;
  /**
   * The target is the operator's own, from the settings. It may be in a private network and on any port. Plain HTTP
   * is allowed to addresses that are not public. Link-local addresses, such as those of cloud metadata, are refused
   * all the same.
   */
  readonly operator?: "http" | "https";
}

/** Returns the policy for a target of the operator's settings. */
export const operatorPolicy = (url: string): TargetPolicy => ({
  allowSandboxTargets: false,
  operator: new URL(url).protocol === "http:" ? "http" : "https",
});

export type TargetRefusal = "url" | "scheme" | "userinfo" | "port" | "address";

const REFUSALS: Readonly<Record<TargetRefusal, string>> = {
  url: "The webhook URL is not a URL of at most 2048 characters.",
  scheme: "The webhook URL must use https.",
  userinfo: "The webhook URL must not carry a user name or password.",
  port: "The webhook URL must use port 443 or 8443.",
  address: "The webhook URL leads to an address that is not public.",
};

/** The refusal of a webhook target. */
export class TargetRefused extends Error {
  readonly reason: TargetRefusal;

  constructor(reason: TargetRefusal) {
    super(REFUSALS[reason]);
    this.name = "TargetRefused";
    this.reason = reason;
  }
}

const URL_LENGTH_MAX = 2048;
/** Returns the port. `URL` omits the default port of its scheme. */
const PORTS = new Set(["", "8443"]);
const LOCALHOST = /(?:^|\.)localhost\.?$/;

/**
 * Parses a webhook URL and throws `TargetRefused` for a forbidden target. It checks an address in the URL, in
 * every spelling. The addresses of a host name are known only when connecting; the connector checks them
 * with `assertAllowedAddress`.
 */
export function assertAllowedTarget(url: string, policy: TargetPolicy): URL {
  if (!URL.canParse(url)) throw new TargetRefused("url");
  const target = new URL(url);
  if (target.href.length > URL_LENGTH_MAX) throw new TargetRefused("url");
  if (!isAllowedScheme(target.protocol, policy)) throw new TargetRefused("scheme");
  if (target.username !== "" || target.password !== "") throw new TargetRefused("userinfo");
  const isAnyPort = policy.allowSandboxTargets || policy.operator !== undefined;
  if (!isAnyPort && !PORTS.has(target.port)) throw new TargetRefused("port");
  const address = literalAddress(target.hostname);
  if (address !== undefined) assertAllowedAddress(address, policy);
  return target;
}

/** Throws `TargetRefused` for an address that webhooks may not connect to. */
export function assertAllowedAddress(address: string, policy: TargetPolicy): void {
  const kind = addressKind(address);
  const { allowSandboxTargets, operator } = policy;
  const isAllowed =
    (kind === "public" && operator !== "http") ||
    (kind === "loopback" && (allowSandboxTargets || operator !== undefined)) ||
    (operator !== undefined && isPrivateAddress(address));
  if (!isAllowed) throw new TargetRefused("address");
}

const isAllowedScheme = (protocol: string, policy: TargetPolicy): boolean =>
  protocol === "https:" ||
  (protocol === "http:" && (policy.allowSandboxTargets || policy.operator === "http"));

/** Returns the address that the host of a URL spells, normalised by the URL parser; undefined for a name. */
function literalAddress(hostname: string): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  if (LOCALHOST.test(hostname)) return "127.0.0.1";
  return /^[\d.]+$/.test(hostname) ? hostname : undefined;
}

/**
 * Returns the place that a URL leads to: scheme, host, port and path, in one spelling. Receivers rarely tell two spellings
 * apart, so the final dot of a host, slashes beyond the first, a slash at the end and escapes do not count. Query
 * and fragment do not count either.
 */
export function placeOfTarget(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const path = pathname
    .replace(/(?:%[\da-f]{2})+/gi, unescaped)
    .split("/")
    .filter(Boolean);
  return `${protocol}//${hostname.replace(/\.+$/, "")}:${port}/${path.join("/")}`;
}

/** Returns the escapes as they are where they do not spell characters. */
function unescaped(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
}
