import ipaddr from "ipaddr.js";
import { withoutPort } from "../../domain/merchants/networks.ts";

/** A provider gives each customer at least this much of IPv6 (RFC 6177), so one address is not a limit. */
const IPV6_PREFIX_BITS = 64;

/**
 * Returns the part of an address that one caller holds: the whole of IPv4, and the first 64 bits of
 * IPv6. An IPv4 address inside an IPv6 one counts as itself.
 */
export function holderOf(caller: string): string {
  const address = withoutPort(caller);
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, IPV6_PREFIX_BITS / 16)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
