import type { CheckoutSession, OperationType } from "@exchange/contract";
import type { CardDraft, PayoutCardDraft, RefundDraft, WalletDraft } from "./state.ts";

export const EMPTY_CARD: CardDraft = {
  number: "",
  expiry: "",
  code: "",
  holderName: "",
  postalCode: "",
  countryCode: "",
};

/** A card form filled with the merchant's data about the customer. */
export function cardDraftFor(session: CheckoutSession): CardDraft {
  const { firstName, lastName } = session.customer;
  return {
    ...EMPTY_CARD,
    holderName: [firstName, lastName].filter(Boolean).join(" "),
    countryCode: session.countryCode.toUpperCase(),
  };
}

export const walletDraftFor = (address: string): WalletDraft => ({
  address: address.replace(/\s/g, ""),
  memo: "",
  withoutMemo: false,
  networkCode: undefined,
  networks: [],
  check: "unchecked",
  fault: undefined,
});

type AddressDraft = Pick<WalletDraft, "address" | "memo" | "withoutMemo">;

/**
 * The memo after the address changed. It belongs to one address, and so does the customer's word that there is none. Both
 * may come before the address is complete. A corrected letter keeps a memo, and the word is asked for again.
 */
export function memoAfter(draft: AddressDraft, address: string): Omit<AddressDraft, "address"> {
  const { address: before, memo, withoutMemo } = draft;
  if (address.startsWith(before)) return { memo, withoutMemo };
  return { memo: isCorrection(before, address) ? memo : "", withoutMemo: false };
}

/** Whether one letter was added, removed or replaced, and some are left. */
function isCorrection(before: string, after: string): boolean {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const endings = [before.slice(same), before.slice(same + 1)];
  return after !== "" && [same, same + 1].some((from) => endings.includes(after.slice(from)));
}

/** The wallet that the merchant's server locked, or that the page names. */
export const walletOf = ({ lock }: CheckoutSession, wanted: string | undefined): WalletDraft => ({
  ...walletDraftFor(lock.walletAddress ?? wanted ?? ""),
  memo: lock.memo ?? "",
  withoutMemo: lock.withoutMemo ?? false,
});

export const EMPTY_PAYOUT_CARD: PayoutCardDraft = {
  number: "",
  expiry: "",
  code: "",
  token: undefined,
  fault: undefined,
};

/** A payout form. A customer who sells coins is most likely the account holder. */
export function payoutDraftFor(
  { customer }: CheckoutSession,
  operation: OperationType,
): Readonly<Record<string, string>> {
  const holder = [customer.firstName, customer.lastName].filter(Boolean).join(" ");
  return operation === "S" && holder ? { accountHolder: holder } : {};
}

export const EMPTY_REFUND: RefundDraft = {
  address: "",
  memo: "",
  withoutMemo: false,
  status: "idle",
  fault: undefined,
};
