/** The kind of chain that a network follows. The prefixes of addresses differ between them. */
const ADDRESS_CHAINS = ["main", "test", "regtest"] as const;
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

/** The first letters of the addresses of other formats. A format without such letters has none. */
const STARTS = {
  bitcoin_cash: [],
  dogecoin: ["D", "A", "9"],
  evm: ["0x"],
  solana: [],
  tron: ["T"],
  xrp: ["r", "X"],
} as const;

/** The first letters of addresses by their base58 version byte. */
const VERSION_STARTS: Readonly<Record<number, readonly string[]>> = {
  0: ["1"],
  5: ["3"],
  48: ["L"],
  50: ["M"],
  58: ["Q"],
  111: ["m", "n"],
  196: ["2"],
};

/** Returns the letters that addresses of a network start with, for a person who looks for the right one. */
export function addressStarts(
  format: LiveCoin | keyof typeof STARTS,
  chain: AddressChain = "main",
): readonly string[] {
  if (format !== "bitcoin" && format !== "litecoin") return STARTS[format];
  const { segwit, publicKeyHash, scriptHash } = COIN_PREFIXES[format][chain];
  const versions = [publicKeyHash, scriptHash].flatMap((version) => VERSION_STARTS[version] ?? []);
  return [...versions, `${segwit}1`];
}

/** The coins whose real chains can be followed. */
export type LiveCoin = keyof typeof COIN_PREFIXES;
