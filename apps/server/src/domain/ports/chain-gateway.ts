import type { RailStatement } from "./rail-statement.ts";

/** A transfer we owe, as the chain needs it. `units` are the asset's smallest units. */
export interface ChainTransfer {
  readonly intentId: string;
  readonly networkCode: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: bigint;
  /** The transfer's place in our wallet's sequence: of all transactions there one can be mined. */
  readonly nonce: bigint;
}

/** Signed bytes and the hash they will have: stored before they are broadcast. */
export interface SignedTransaction {
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

export interface SeenTransaction {
  /** `replaced`: another transaction of the same nonce was mined instead. */
  readonly state: "mempool" | "in_block" | "replaced";
  readonly confirmations: number;
  readonly blockHash: string | null;
  /** It has waited longer than the network usually takes. */
  readonly isStuck: boolean;
}

/** Where coins for an order are to be sent. */
export interface DepositAddress {
  readonly networkCode: string;
  readonly address: string;
  readonly memo: string | null;
}

/** Coins seen at a deposit address. `id` is the transaction's hash and the output's number. */
export interface ChainDeposit {
  readonly id: string;
  readonly assetReference: string;
  readonly units: bigint;
  /** `orphaned`: its block was dropped. A node that lags reports nothing; that is not it. */
  readonly state: "mempool" | "in_block" | "orphaned";
  readonly confirmations: number;
  readonly blockHash: string | null;
}

/**
 * Sends and receives coins. Signing has no outside effect. Broadcasting the same bytes again is
 * harmless, so only stored bytes are ever broadcast, as often as needed. A lost answer throws.
 */
export interface ChainGateway {
  readonly name: string;
  sign(transfer: ChainTransfer): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** Undefined when the network has not seen the transaction. */
  lookUp(networkCode: string, transactionHash: string): Promise<SeenTransaction | undefined>;
  /** The same transfer at the same nonce with a higher fee; absent where fees cannot be raised. */
  replace?(stuck: SignedTransaction): Promise<SignedTransaction>;
  /** An address of its own for each reference; the same reference has the same address for ever. */
  depositAddress(request: {
    readonly networkCode: string;
    readonly reference: string;
  }): Promise<DepositAddress>;
  depositsTo(address: DepositAddress): Promise<readonly ChainDeposit[]>;
  /** Its own list of what moved, for the audit; absent where it has none. */
  readonly statement?: RailStatement;
}
