/** Where an IP address leads: only `public` ones are ever connected to, loopback in a sandbox. */
export type AddressKind = "public" | "loopback" | "not_public";

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Address blocks that are not the public internet, by the IANA special-purpose registry. */
const IPV4_NOT_PUBLIC = [
  "0.0.0.0/8", // this network, the unspecified address
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "168.63.129.16/32", // Azure's platform address, reachable inside its machines only
].map(parseIpv4Block);

/** Inside 2000::/3, the only block of IPv6 handed out for public use, these are not public either. */
const IPV6_NOT_PUBLIC = [
  { prefix: [0x2001], bits: 23 }, // protocol assignments, Teredo
  { prefix: [0x2001, 0x0db8], bits: 32 }, // documentation
  { prefix: [0x2002], bits: 16 }, // 6to4: an IPv4 address in disguise
  { prefix: [0x2620, 0x004f, 0x8000], bits: 48 }, // AS112
  { prefix: [0x3fff], bits: 20 }, // documentation
];

/**
 * Says where an address in canonical spelling leads. What cannot be read is not public. An IPv4
 * address inside an IPv6 one (mapped, NAT64, 6to4, Teredo) is never public.
 */
export function addressKind(address: string): AddressKind {
  const ipv4 = parseIpv4(address);
  if (ipv4 !== undefined) return ipv4Kind(ipv4);
  const groups = parseIpv6(address);
  return groups === undefined ? "not_public" : ipv6Kind(groups);
}

function ipv4Kind(value: number): AddressKind {
  if (value >>> 24 === 127) return "loopback";
  const inBlock = IPV4_NOT_PUBLIC.some(({ base, bits }) => sameStart({ value, base, bits }));
  return inBlock ? "not_public" : "public";
}

function ipv6Kind(groups: readonly number[]): AddressKind {
  if (groups.every((group, index) => group === (index === 7 ? 1 : 0))) return "loopback";
  if (!startsWith(groups, { prefix: [0x2000], bits: 3 })) return "not_public";
  return IPV6_NOT_PUBLIC.some((block) => startsWith(groups, block)) ? "not_public" : "public";
}

function parseIpv4(address: string): number | undefined {
  const parts = IPV4.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((value, part) => value * 256 + part, 0);
}

function parseIpv4Block(block: string): { base: number; bits: number } {
  const [address = "", bits] = block.split("/");
  return { base: parseIpv4(address) ?? 0, bits: Number(bits) };
}

const sameStart = (pair: { value: number; base: number; bits: number }): boolean =>
  pair.value >>> (32 - pair.bits) === pair.base >>> (32 - pair.bits);

/** The URL parser knows every spelling; the eight groups are read from the one it writes. */
function parseIpv6(address: string): number[] | undefined {
  if (!address.includes(":") || !URL.canParse(`http://[${address}]/`)) return undefined;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const left = readGroups(head);
  if (tail === undefined) return left;
  const right = readGroups(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

const readGroups = (text: string): number[] =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));

function startsWith(
  groups: readonly number[],
  block: { readonly prefix: readonly number[]; readonly bits: number },
): boolean {
  for (let index = 0; index * 16 < block.bits; index++) {
    const shift = Math.max(0, 16 - (block.bits - index * 16));
    if ((groups[index] ?? 0) >>> shift !== (block.prefix[index] ?? 0) >>> shift) return false;
  }
  return true;
}
