import type { Decimal } from "@exchange/money";
import type { AddressChain } from "../wallets/coin-prefixes.ts";

/** The address formats that can be checked. Several networks may share one. */
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

/** Whether an address needs a memo or tag beside it. */
export const MEMO_RULES = ["none", "optional", "required"] as const;
export type MemoRule = (typeof MEMO_RULES)[number];

export interface LargeDeposits {
  readonly aboveEuro: Decimal;
  readonly confirmations: number;
}

/** A blockchain. `code` is a lower-case slug, it never changes. */
export interface Network {
  readonly code: string;
  readonly name: string;
  readonly addressFormat: AddressFormat;
  readonly memo: MemoRule;
  /** The confirmations after which a transaction is final for us. */
  readonly confirmations: number;
  /** Deposits above an amount need more. Null where every amount needs the same. */
  readonly large: LargeDeposits | null;
  /** The explorer's page of a transaction, with `{hash}` in place of its hash. */
  readonly explorerTransactionUrl: string;
  readonly enabled: boolean;
  /** The chain whose addresses it takes. Absent for the main chain. The rails file decides, never the catalogue. */
  readonly addressChain?: AddressChain;
  /** The chain id (EIP-155) of a live network. Absent where the network of that name is meant. */
  readonly chainId?: number;
}
