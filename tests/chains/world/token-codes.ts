/** Returns the balance of the address in the call, from the mapping that is the contract's first variable. */
const BALANCE = "5b600435600052600060205260406000205460005260206000f3";

/** keccak256("Transfer(address,address,uint256)") */
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Takes a fee of 7 units of each transfer, and returns 6 units of it to the sender, each with its event. */
const RETURNING = [
  ...["3660241460ca57", "336000526040600020805460060160243590039055"],
  "6004356000526040600020805460243501600790039055",
  `600760243503600052600435337f${TRANSFER}60206000a3`,
  `600760005230337f${TRANSFER}60206000a3`,
  `600660005233307f${TRANSFER}60206000a3`,
  "600160005260206000f3",
].join("");

/** Bytecode of tokens that are broken, written by hand. They keep the balances: a call of 36 bytes asks for one. */
export const TOKEN_CODES = {
  /** Reverts each transfer, as a token that is paused or forbids an address. */
  reverting: `0x36602414600c5760006000fd${BALANCE}`,
  /** Never ends a transfer, which then burns all that it may. */
  endless: `0x36602414600b575b600756${BALANCE}`,
  /** Answers each transfer with false. */
  false: `0x36602414601157600060005260206000f3${BALANCE}`,
  /** Takes a fee of each transfer, and returns a part of it. */
  returning: `0x${RETURNING}${BALANCE}`,
  /** Reverts each call, also that for a balance. */
  silent: "0x60006000fd",
  /** Answers each call with nothing. */
  mute: "0x00",
  /** Answers each call with two words. */
  garbage: "0x60406000f3",
  /** An address without a contract. */
  none: "0x",
} as const;
