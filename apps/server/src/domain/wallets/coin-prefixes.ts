/** The kind of chain that a network follows. The prefixes of addresses differ between them. */
export const ADDRESS_CHAINS = ["main", "test", "regtest"] as const;
export type AddressChain = (typeof ADDRESS_CHAINS)[number];

/** The prefixes of a chain's addresses: of bech32, and the version bytes of base58. */
export interface CoinPrefixes {
  readonly segwit: string;
  readonly publicKeyHash: number;
  readonly scriptHash: number;
}

/** The prefixes are those of the chains' own nodes. */
export const COIN_PREFIXES = {
  bitcoin: {
    main: { segwit: "bc", publicKeyHash: 0x00, scriptHash: 0x05 },
    test: { segwit: "tb", publicKeyHash: 0x6f, scriptHash: 0xc4 },
    regtest: { segwit: "bcrt", publicKeyHash: 0x6f, scriptHash: 0xc4 },
  },
  litecoin: {
    main: { segwit: "ltc", publicKeyHash: 0x30, scriptHash: 0x32 },
    test: { segwit: "tltc", publicKeyHash: 0x6f, scriptHash: 0x3a },
    regtest: { segwit: "rltc", publicKeyHash: 0x6f, scriptHash: 0x3a },
  },
} as const satisfies Record<string, Record<AddressChain, CoinPrefixes>>;

/** The coins whose real chains can be followed. */
export type LiveCoin = keyof typeof COIN_PREFIXES;
