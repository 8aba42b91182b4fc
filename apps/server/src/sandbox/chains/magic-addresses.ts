import { type AddressForm, addressInForm } from "./address-forms.ts";

/** What the sandbox does with coins sent to an address of its own. */
export type AddressBehaviour =
  /** The first transaction stays in the mempool; its replacement is mined. */
  | "stuck"
  /** As `stuck`, but when a replacement comes the first is mined and the replacement is not. */
  | "first_wins"
  /** The broadcast arrives, its answer does not. */
  | "answer_lost"
  /** The first block that has the transaction is dropped; another one takes it later. */
  | "reorganised"
  /** Not the chain's doing: the screener hits it. */
  | "sanctioned";

/** The byte an address of each behaviour is made of. */
const BYTE_OF: Record<AddressBehaviour, number> = {
  stuck: 0x51,
  first_wins: 0x52,
  answer_lost: 0x53,
  reorganised: 0x54,
  sanctioned: 0x5a,
};
const SEED_BYTES = 32;
const FORMS: readonly AddressForm[] = [
  "bitcoin",
  "bitcoin_cash",
  "dogecoin",
  "evm",
  "litecoin",
  "solana",
  "tron",
  "xrp",
];

export interface MagicAddress {
  readonly form: AddressForm;
  readonly behaviour: AddressBehaviour;
  readonly address: string;
}

/** Every documented address, form by form. */
export const MAGIC_ADDRESSES: readonly MagicAddress[] = FORMS.flatMap((form) =>
  (Object.keys(BYTE_OF) as AddressBehaviour[]).map((behaviour) => ({
    form,
    behaviour,
    address: addressInForm(form, new Uint8Array(SEED_BYTES).fill(BYTE_OF[behaviour])),
  })),
);

/** Letter case and the prefix of Bitcoin Cash say nothing here. */
const keyOf = (address: string): string => address.toLowerCase().replace(/^bitcoincash:/, "");

const BEHAVIOURS = new Map(
  MAGIC_ADDRESSES.map(({ address, behaviour }) => [keyOf(address), behaviour]),
);

/** Undefined for every address but the documented ones. */
export const behaviourOf = (address: string): AddressBehaviour | undefined =>
  BEHAVIOURS.get(keyOf(address));
