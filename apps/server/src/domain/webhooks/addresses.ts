import ipaddr from "ipaddr.js";

/**
 * The kind of network that an IP address is in. The service connects to `public` ones only, in a sandbox to
 * loopback too.
 */
export type AddressKind = "public" | "loopback" | "not_public";

/** Azure's platform address. It is in a public block, but it is reachable inside Azure's machines only. */
const AZURE_PLATFORM = "168.63.129.16";
/** The only block of IPv6 that is assigned for public use. */
const IPV6_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * Returns the kind of an address. Text that is not an address in the usual spelling is not public. An IPv4
 * address inside an IPv6 one (mapped, NAT64, 6to4, Teredo) is never public.
 */
export function addressKind(text: string): AddressKind {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipv4Kind(ipaddr.IPv4.parse(text));
  return ipaddr.IPv6.isValid(text) ? ipv6Kind(ipaddr.IPv6.parse(text)) : "not_public";
}

/** Returns whether an address is of a private network (RFC 1918, RFC 4193 and the shared range of RFC 6598). */
export function isPrivateAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return ["private", "carrierGradeNat"].includes(ipaddr.IPv4.parse(text).range());
  }
  return ipaddr.IPv6.isValid(text) && ipaddr.IPv6.parse(text).range() === "uniqueLocal";
}

function ipv4Kind(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.toString() !== AZURE_PLATFORM ? "public" : "not_public";
}

function ipv6Kind(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.match(IPV6_UNICAST) ? "public" : "not_public";
}
