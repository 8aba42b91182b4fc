/** Bytecode of tokens that are broken, written by hand. A call of 36 bytes asks for a balance, one of 68 transfers. */
export const TOKEN_CODES = {
  /** Has a balance, and reverts each transfer, as a token that is paused or forbids an address. */
  reverting: "0x36604414601457600160ff1b60005260206000f35b60006000fd",
  /** Has a balance, and answers each transfer with false. */
  false: "0x3660241460ff1b60005260206000f3",
  /** An address without a contract. */
  none: "0x",
} as const;
