/** An address, with the memo or tag that came with it. */
export interface PaymentTarget {
  readonly address: string;
  readonly memo: string | undefined;
}

/** Scheme, address, chain id, call and query of a link such as `ethereum:0x…@1/transfer?address=0x…` (BIP 21, EIP-681). */
const LINK = /^(?:[a-z]+:(?:pay-)?)?([^?@/]+)(?:@\d+)?(\/transfer)?(?:\?(.*))?$/is;

/** Reads a bare address, or a payment link. Other text stays as it is, and the check of the address refuses it. */
export function readPaymentLink(text: string): PaymentTarget {
  const whole = text.trim();
  const [, path, call, query] = LINK.exec(whole) ?? [];
  const members = new URLSearchParams(query);
  // A token is paid by a call of its contract. The contract's address would be the wrong one.
  const address = call ? members.get("address") : path;
  return { address: address ?? whole, memo: members.get("dt") ?? members.get("memo") ?? undefined };
}
