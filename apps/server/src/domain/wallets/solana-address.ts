import { base58 } from "@scure/base";

/** Whether the text is 32 bytes in base58. Solana's addresses carry no checksum. */
export function isSolanaAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
