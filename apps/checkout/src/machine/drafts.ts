import type { CheckoutSession } from "@exchange/contract";
import type { CardDraft, WalletDraft } from "./state.ts";

export const EMPTY_CARD: CardDraft = {
  number: "",
  expiry: "",
  code: "",
  holderName: "",
  line1: "",
  city: "",
  postalCode: "",
  countryCode: "",
};

/** A card form that already holds what the merchant told us about the customer. */
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
  networkCode: undefined,
  networks: [],
  check: "unchecked",
  fault: undefined,
});
