import ipaddr from "ipaddr.js";

/**
 * Returns a network in the usual spelling: `10.1.2.3/8` is `10.0.0.0/8`, and an address alone is a network of
 * one address. Undefined for any other text.
 */
export function parseNetwork(text: string): string | undefined {
  if (!text.includes("/")) return ipaddr.isValid(text) ? ofOneAddress(text) : undefined;
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) {
    const [, bits] = ipaddr.IPv4.parseCIDR(text);
    return `${ipaddr.IPv4.networkAddressFromCIDR(text).toString()}/${bits}`;
  }
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const [, bits] = ipaddr.IPv6.parseCIDR(text);
  return `${ipaddr.IPv6.networkAddressFromCIDR(text).toString()}/${bits}`;
}

function ofOneAddress(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return `${text}/32`;
  return ipaddr.IPv6.isValid(text) ? `${ipaddr.IPv6.parse(text).toString()}/128` : undefined;
}

const WITH_PORT = /^(?:([\d.]+)|\[(.+)\])(?::\d+)?$/;

/** Returns the address of a caller. Some proxies add its port, which each connection changes. */
export function withoutPort(caller: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(caller) ?? [];
  return ipv4 ?? ipv6 ?? caller;
}

/** Whether a caller is in one of the networks. An IPv4 address inside an IPv6 one counts as itself. */
export function isInNetworks(from: string, networks: readonly string[]): boolean {
  const address = withoutPort(from);
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === caller.kind() && caller.match(base, bits);
  });
}

/**
 * Returns the caller as the log of addresses names it: an IPv4 address, or the IPv6 network of 64 bits that a
 * provider assigns to one line.
 */
export function callerNetwork(from: string): string {
  const address = withoutPort(from);
  if (!ipaddr.isValid(address)) return "0.0.0.0";
  const caller = ipaddr.process(address);
  if (caller.kind() === "ipv4") return caller.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${caller.toString()}/64`).toString()}/64`;
}
