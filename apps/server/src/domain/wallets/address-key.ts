import type { AddressFormat } from "../catalogue/network.ts";

/** Returns one text for every spelling of a valid address: letter case and prefixes may differ. */
export function addressKey(format: AddressFormat, address: string): string {
  const lower = address.toLowerCase();
  switch (format) {
    case "evm":
      return lower;
    case "bitcoin_cash":
      return lower.replace(/^bitcoincash:/, "");
    case "bitcoin":
    case "litecoin":
      return /^(bc|ltc)1/.test(lower) ? lower : address;
    default:
      return address;
  }
}
