/** The forms of wallet address that can be checked; several networks may share one. */
export const ADDRESS_FORMATS = [
  "bitcoin",
  "bitcoin_cash",
  "dogecoin",
  "evm",
  "litecoin",
  "solana",
  "tron",
  "xrp",
] as const;
export type AddressFormat = (typeof ADDRESS_FORMATS)[number];

/** Whether an address takes a memo or tag beside it. */
export const MEMO_RULES = ["none", "optional", "required"] as const;
export type MemoRule = (typeof MEMO_RULES)[number];

/** A blockchain. `code` is a lower-case slug, stable for ever. */
export interface Network {
  readonly code: string;
  readonly name: string;
  readonly addressFormat: AddressFormat;
  readonly memo: MemoRule;
  /** Blocks on top after which a transaction is final for us. */
  readonly confirmations: number;
  /** Page of a transaction, with `{hash}` where its hash goes. */
  readonly explorerTransactionUrl: string;
  readonly enabled: boolean;
}
