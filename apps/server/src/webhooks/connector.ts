import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import {
  assertAllowedAddress,
  assertAllowedTarget,
  type TargetPolicy,
} from "../domain/webhooks/targets.ts";

export interface ConnectorOptions {
  readonly policy: TargetPolicy;
  readonly timeoutMs: number;
  /** Returns every address of a host name. */
  readonly resolve?: Resolve;
  /** Certificate authorities to trust instead of Node's own. */
  readonly certificateAuthorities?: readonly string[];
}

export type Resolve = (hostname: string) => Promise<readonly dns.LookupAddress[]>;

/**
 * Opens connections for webhooks. It resolves the name once, checks every address and connects to one of
 * these, so a name that changes between check and connection gains nothing (DNS rebinding). Node makes no
 * look-up for a host that is an address, so the target itself is checked as well.
 */
export function makeConnector(options: ConnectorOptions): buildConnector.connector {
  const { policy, certificateAuthorities } = options;
  const connect = buildConnector({
    timeout: options.timeoutMs,
    lookup: checkedLookup(options.resolve ?? resolverFor(policy), policy),
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    allowH2: false,
    ...(certificateAuthorities && { ca: [...certificateAuthorities] }),
  });
  return (target, callback) => {
    try {
      assertAllowedTarget(`${target.protocol}//${target.host ?? target.hostname}`, policy);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(target, callback);
  };
}

/**
 * Returns a lookup that refuses a name if one of its addresses is not public. The other addresses may only serve to
 * pass the check.
 */
function checkedLookup(resolve: Resolve, policy: TargetPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolveChecked({ hostname, resolve, policy }).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

async function resolveChecked(question: {
  readonly hostname: string;
  readonly resolve: Resolve;
  readonly policy: TargetPolicy;
}): Promise<readonly dns.LookupAddress[]> {
  const addresses = await question.resolve(question.hostname);
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  for (const { address } of addresses) assertAllowedAddress(address, question.policy);
  return addresses;
}

/**
 * The system resolver blocks one of Node's few worker threads until the name server answers, and a hostile
 * server answers late. Only sandboxes and the operator's own target use it, because they need the hosts file.
 */
const resolverFor = (policy: TargetPolicy): Resolve =>
  policy.allowSandboxTargets || policy.operator !== undefined
    ? (hostname) => dns.promises.lookup(hostname, { all: true })
    : resolverAt();

/** Asks name servers (`address:port`; by default the system's) for IPv4 and IPv6 addresses. */
export const resolverAt =
  (servers?: readonly string[]): Resolve =>
  async (hostname) => {
    const resolver = new dns.promises.Resolver({ timeout: 1_500, tries: 2 });
    if (servers) resolver.setServers(servers);
    return resolveBoth(resolver, hostname);
  };

async function resolveBoth(
  resolver: dns.promises.Resolver,
  hostname: string,
): Promise<readonly dns.LookupAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason;
  const found = [
    ...(ipv4.status === "fulfilled" ? ipv4.value : []).map((address) => ({ address, family: 4 })),
    ...(ipv6.status === "fulfilled" ? ipv6.value : []).map((address) => ({ address, family: 6 })),
  ];
  return found;
}
