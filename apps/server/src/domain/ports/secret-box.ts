/**
 * Encrypts secrets that must be readable again, such as webhook secrets. `boundTo` names the row and column
 * of the ciphertext, and it opens nowhere else.
 */
export interface SecretBox {
  seal(secret: string, boundTo: string): Uint8Array;
  /** Throws when the ciphertext was changed, moved, or sealed with a key that is missing. */
  open(sealed: Uint8Array, boundTo: string): string;
}
