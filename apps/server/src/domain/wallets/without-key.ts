import type { AddressFormat } from "../catalogue/network.ts";
import { addressKey } from "./address-key.ts";
import { TOKEN_ACCOUNT_PROGRAM, TOKEN_PROGRAM } from "./solana.ts";
import { xrpAccountOf } from "./xrp-address.ts";

/**
 * Well-known addresses that nobody has a key for. Coins sent there are lost, or the network refuses them. The
 * zero address of EVM networks is missing, because it is not an address for `isAddressOn`.
 */
const ADDRESSES: Partial<Record<AddressFormat, readonly string[]>> = {
  evm: ["0x000000000000000000000000000000000000dEaD"],
  // Token-2022 and the mint of wrapped SOL beside the programs that are used here.
  solana: [
    TOKEN_PROGRAM,
    TOKEN_ACCOUNT_PROGRAM,
    "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
    "So11111111111111111111111111111111111111112",
  ],
  // The zero address, and the account of the genesis block that takes burned coins.
  tron: ["T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy"],
  // ACCOUNT_ZERO, ACCOUNT_ONE, the name reservation and NaN.
  xrp: [
    "rrrrrrrrrrrrrrrrrrrrrhoLvTp",
    "rrrrrrrrrrrrrrrrrrrrBZbvji",
    "rrrrrrrrrrrrrrrrrNAMEtxvNvQ",
    "rrrrrrrrrrrrrrrrrrrn5RM1rHd",
  ],
};

/** Programs of Solana and their settings have addresses that end so, or consist of ones. */
const RESERVED_ON_SOLANA = /^(1{32}|.*1{11})$/;

/** Returns whether it is known that nobody has a key of the address. The text is an address of the format. */
export function hasNoKey(format: AddressFormat, text: string): boolean {
  const address = (format === "xrp" ? xrpAccountOf(text)?.address : undefined) ?? text;
  const key = addressKey(format, address);
  if (ADDRESSES[format]?.some((other) => addressKey(format, other) === key)) return true;
  return format === "solana" && RESERVED_ON_SOLANA.test(address);
}
