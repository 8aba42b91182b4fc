import { Address, OutScript } from "@scure/btc-signer";
import type { CoinNetwork } from "./policy.ts";
import { SignRefusal } from "./signer-error.ts";

/** The prefixes of addresses, by chain and environment. They are those of the chains' own nodes. */
const PARAMETERS = {
  bitcoin: {
    mainnet: { bech32: "bc", pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
    testnet: { bech32: "tb", pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    regtest: { bech32: "bcrt", pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  },
  litecoin: {
    mainnet: { bech32: "ltc", pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
    testnet: { bech32: "tltc", pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
    regtest: { bech32: "rltc", pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
  },
} as const;

export const coinParameters = ({ chain, environment }: CoinNetwork) =>
  PARAMETERS[chain][environment];

/** Returns the script that pays the address. Throws a refusal for an address of another network. */
export function scriptOf(address: string, network: CoinNetwork): Uint8Array {
  try {
    return OutScript.encode(Address(coinParameters(network)).decode(address));
  } catch {
    throw new SignRefusal(
      "address",
      `"${address}" is not an address of ${network.chain} ${network.environment}.`,
    );
  }
}
