import { type AddressForm, addressInForm } from "./address-forms.ts";

/** The chain's treatment of coins sent to a documented address. */
export type AddressBehaviour =
  /** The first transaction stays in the mempool; its replacement is mined. */
  | "stuck"
  /** As `stuck`, but the first transaction is mined when its replacement arrives. */
  | "first_wins"
  /** The broadcast arrives, but its answer is lost. */
  | "answer_lost"
  /** The transaction's first block is dropped, and a later block includes it again. */
  | "reorganised"
  /** The transaction is mined and moves nothing. */
  | "reverted"
  /** A transaction that we did not sign takes the place of ours. */
  | "foreign"
  /** The token keeps a part of the transfer, so less arrives than was sent. */
  | "fee_taken"
  /** The signer refuses the payout's first place, and signs at the next one. */
  | "hole"
  /** The chain sends it as usual; the screener hits the address. */
  | "sanctioned"
  /** As `sanctioned`, but it comes onto the list only after the payment. */
  | "sanctioned_later";

/** The byte that fills the address of each behaviour. */
const BYTE_OF: Record<AddressBehaviour, number> = {
  stuck: 0x51,
  first_wins: 0x52,
  answer_lost: 0x53,
  reorganised: 0x54,
  reverted: 0x55,
  foreign: 0x56,
  fee_taken: 0x57,
  hole: 0x58,
  sanctioned: 0x5a,
  sanctioned_later: 0x5b,
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

/** Every documented address, by address format. */
export const MAGIC_ADDRESSES: readonly MagicAddress[] = FORMS.flatMap((form) =>
  (Object.keys(BYTE_OF) as AddressBehaviour[]).map((behaviour) => ({
    form,
    behaviour,
    address: addressInForm(form, new Uint8Array(SEED_BYTES).fill(BYTE_OF[behaviour])),
  })),
);

/** Ignores letter case and the prefix of Bitcoin Cash. */
const keyOf = (address: string): string => address.toLowerCase().replace(/^bitcoincash:/, "");

const BEHAVIOURS = new Map(
  MAGIC_ADDRESSES.map(({ address, behaviour }) => [keyOf(address), behaviour]),
);

/** Returns undefined for every address that is not documented. */
export const behaviourOf = (address: string): AddressBehaviour | undefined =>
  BEHAVIOURS.get(keyOf(address));
