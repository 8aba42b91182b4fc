/** A payment, payout or deposit of ours, by the reference under which its provider has it. */
export type CallbackSubject =
  /** The id of a card payment's attempt. */
  | { readonly kind: "payment"; readonly reference: string }
  /** The id of a payout or refund. */
  | { readonly kind: "payout"; readonly reference: string }
  /** The reference of an order's payment instructions. */
  | { readonly kind: "deposit"; readonly reference: string };

/** A callback that its provider signed. */
export interface ProviderCallback {
  /** The provider's own id of the event, the same in each repetition. Null where it has none. */
  readonly eventId: string | null;
  /** The rows that are worth a look now. Empty if the event is about something else. */
  readonly subjects: readonly CallbackSubject[];
}

export interface CallbackMessage {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes that arrived. A body that was parsed and printed again has other bytes. */
  readonly body: Uint8Array;
}

/**
 * Reads the callbacks of one provider. A callback says where to look and never what happened, so a stolen secret
 * changes only when we look (docs/decisions/0069-use-callbacks-only-to-look-sooner.md).
 */
export interface ProviderCallbacks {
  /**
   * Returns undefined unless the provider signed exactly these bytes, within its time limit in both directions.
   * While a secret is replaced, the old and the new one are valid.
   */
  read(message: CallbackMessage): ProviderCallback | undefined;
}
