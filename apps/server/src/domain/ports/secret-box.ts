/**
 * Encrypts what must be readable again, such as webhook secrets. `boundTo` names the row and column
 * the ciphertext belongs to: it opens nowhere else.
 */
export interface SecretBox {
  seal(secret: string, boundTo: string): Uint8Array;
  /** Throws when the ciphertext was changed, moved, or sealed with a key that is gone. */
  open(sealed: Uint8Array, boundTo: string): string;
}
