import type { AddressFormat } from "../catalogue/network.ts";

const XRP_TAG_MAX = 2 ** 32 - 1;

/** Returns whether the text is a memo of the format's chain. A tag of the XRP Ledger has 32 bits. */
export const isMemo = (format: AddressFormat, text: string): boolean =>
  format !== "xrp" || (/^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) <= XRP_TAG_MAX);

/** Returns whether the address says itself which memo it needs, or that it needs none (XLS-5). */
export const holdsMemo = (format: AddressFormat, address: string): boolean =>
  format === "xrp" && address.startsWith("X");
