/**
 * Encrypts secrets that must be readable again, such as webhook secrets. `boundTo` names the row and column
 * of the ciphertext, and it opens nowhere else.
 */
export interface SecretBox {
  seal(secret: string, boundTo: string): Uint8Array;
  /** Throws when the ciphertext was changed, moved, or sealed with a key that is missing. */
  open(sealed: Uint8Array, boundTo: string): string;
}

/** A key for the personal data of one checkout or wallet, sealed with the service's own key. */
export interface DataKey {
  readonly sealed: Uint8Array;
  /** Names the key's row. The key opens for no other row. */
  readonly boundTo: string;
}

/** Encrypts personal data with data keys. Data whose key was destroyed cannot be read again. */
export interface DataKeyBox {
  /** Returns a new random key for a row. */
  makeDataKey(boundTo: string): DataKey;
  sealBy(key: DataKey, text: string, boundTo: string): Uint8Array;
  /** Throws when the key or the ciphertext was changed or moved. */
  openBy(key: DataKey, sealed: Uint8Array, boundTo: string): string;
  /**
   * Returns digests of a text that only this installation can compute: one for each of its secret keys,
   * the current key's first.
   */
  digests(text: string): readonly Uint8Array[];
}
