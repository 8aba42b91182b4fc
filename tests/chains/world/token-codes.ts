/** Returns the balance of the address in the call, from the mapping that is the contract's first variable. */
const BALANCE = "5b600435600052600060205260406000205460005260206000f3";

/** Bytecode of tokens that are broken, written by hand. They keep the balances: a call of 36 bytes asks for one. */
export const TOKEN_CODES = {
  /** Reverts each transfer, as a token that is paused or forbids an address. */
  reverting: `0x36602414600c5760006000fd${BALANCE}`,
  /** Never ends a transfer, which then burns all that it may. */
  endless: `0x36602414600b575b600756${BALANCE}`,
  /** Answers each transfer with false. */
  false: `0x36602414601157600060005260206000f3${BALANCE}`,
  /** Reverts each call, also that for a balance. */
  silent: "0x60006000fd",
  /** Answers each call with nothing. */
  mute: "0x00",
  /** Answers each call with two words. */
  garbage: "0x60406000f3",
  /** An address without a contract. */
  none: "0x",
} as const;
