import type { RailStatement } from "./rail-statement.ts";

/** A transfer that we owe. `units` are the asset's smallest units. */
export interface ChainTransfer {
  readonly intentId: string;
  readonly networkCode: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: bigint;
  /** The transfer's number in our wallet's sequence. Only one transaction of each nonce can be mined. */
  readonly nonce: bigint;
}

/** A signed transaction and its hash. Store it before you broadcast it. */
export interface SignedTransaction {
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

export interface SeenTransaction {
  /** `replaced`: another transaction of the same nonce is final, so this one can never be mined. */
  readonly state: "mempool" | "in_block" | "replaced";
  readonly confirmations: number;
  readonly blockHash: string | null;
  /** It has waited longer than usual on this network. */
  readonly isStuck: boolean;
}

/** The address for an order's coins. */
export interface DepositAddress {
  readonly networkCode: string;
  readonly address: string;
  readonly memo: string | null;
}

/** Coins seen at a deposit address. `id` is the transaction hash and the output number. */
export interface ChainDeposit {
  readonly id: string;
  readonly assetReference: string;
  readonly units: bigint;
  /** `orphaned`: its block was dropped. A lagging node reports no deposit instead. */
  readonly state: "mempool" | "in_block" | "orphaned";
  readonly confirmations: number;
  readonly blockHash: string | null;
}

/**
 * Sends and receives coins. Signing has no outside effect. Broadcasting the same bytes again is harmless,
 * so stored bytes are broadcast as often as needed. A lost answer throws: the outcome is unknown.
 */
export interface ChainGateway {
  readonly name: string;
  sign(transfer: ChainTransfer): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** Returns undefined when the network has not seen the transaction. */
  lookUp(networkCode: string, transactionHash: string): Promise<SeenTransaction | undefined>;
  /** Signs the transfer again at its nonce with a higher fee. Absent if fees cannot be raised. */
  replace?(stuck: SignedTransaction): Promise<SignedTransaction>;
  /** Returns a reference's own address. It never changes. */
  depositAddress(request: {
    readonly networkCode: string;
    readonly reference: string;
  }): Promise<DepositAddress>;
  depositsTo(address: DepositAddress): Promise<readonly ChainDeposit[]>;
  /** Returns the wallet's next nonce, after all that the network has seen. Absent if transfers have no nonce. */
  nextNonce?(networkCode: string): Promise<bigint>;
  /** The chain's own list of movements, for the audit. Absent if it has none. */
  readonly statement?: RailStatement;
}
