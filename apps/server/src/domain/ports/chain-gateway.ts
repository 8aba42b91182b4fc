/** A transfer we owe, as the chain needs it. `units` are the asset's smallest units. */
export interface ChainTransfer {
  readonly intentId: string;
  readonly networkCode: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: bigint;
}

/** Signed bytes and the hash they will have: stored before they are broadcast. */
export interface SignedTransaction {
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

export interface SeenTransaction {
  readonly confirmations: number;
  readonly blockHash: string | null;
}

/**
 * Sends coins. Signing has no outside effect. Broadcasting the same bytes again is harmless, so
 * only stored bytes are ever broadcast, as often as needed. A lost answer throws.
 */
export interface ChainGateway {
  readonly name: string;
  sign(transfer: ChainTransfer): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** Undefined when the network has not seen the transaction. */
  lookUp(networkCode: string, transactionHash: string): Promise<SeenTransaction | undefined>;
}
