import { createPublicKey, type KeyObject } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { NAME_PATTERN } from "./protocol.ts";

const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Units = Type.String({
  pattern: "^[1-9][0-9]{0,38}$",
  description: 'a whole number of the chain\'s smallest units as text, such as "20000000000000000"',
});
const PublicKeyText = Type.String({
  pattern: "^ed25519:[A-Za-z0-9+/]{43}=$",
  description: "a public key as signer new-key prints it, which begins with ed25519:",
});
/** A text of a short list. */
const wordOf = <const Word extends string>(...words: readonly Word[]) =>
  Type.Unsafe<Word>({ enum: words });
const closed = { additionalProperties: false } as const;
const namesOf = <Schema extends Parameters<typeof Type.Record>[1]>(schema: Schema) =>
  Type.Record(Type.String({ pattern: NAME_PATTERN }), schema, closed);

const EvmNetwork = Type.Object(
  {
    kind: Type.Literal("evm"),
    chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    gasLimitMax: Type.Integer({ minimum: 21_000, maximum: 30_000_000 }),
    feeMax: Units,
    feeMaxPerDay: Units,
    dayCents: Cents,
    cold: Type.Optional(Type.String()),
  },
  closed,
);

const CoinNetwork = Type.Object(
  {
    kind: Type.Literal("coins"),
    chain: wordOf("bitcoin", "litecoin"),
    environment: wordOf("mainnet", "testnet", "regtest"),
    feeRateMax: Type.Integer({ minimum: 1, maximum: 100_000 }),
    feeMax: Units,
    feeMaxPerDay: Units,
    dayCents: Cents,
  },
  closed,
);

const TronNetwork = Type.Object(
  {
    kind: Type.Literal("tron"),
    chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    /** The longest time from the signature to the deadline of a transaction. */
    expirationSecondsMax: Type.Integer({ minimum: 10, maximum: 86_400 }),
    feeMax: Units,
    feeMaxPerDay: Units,
    dayCents: Cents,
  },
  closed,
);

const SolanaNetwork = Type.Object(
  {
    kind: Type.Literal("solana"),
    /** The hash of the network's first block. */
    genesis: Type.String({
      pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
      description: "the hash of the first block in base58",
    }),
    /** The longest time from the signature until another one may follow it. */
    expirationSecondsMax: Type.Integer({ minimum: 10, maximum: 86_400 }),
    feeMax: Units,
    feeMaxPerDay: Units,
    dayCents: Cents,
  },
  closed,
);

const XrpNetwork = Type.Object(
  {
    kind: Type.Literal("xrp"),
    /** 0 is the network with real coins. */
    networkId: Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }),
    feeMax: Units,
    feeMaxPerDay: Units,
    dayCents: Cents,
  },
  closed,
);

const Wallet = Type.Object(
  {
    network: Type.String(),
    keystore: wordOf("hot", "deposits"),
    path: Type.String({
      pattern: "^m(/(0|[1-9][0-9]{0,8})'?){1,8}$",
      description: "a path such as m/44'/60'/0'/0/0",
    }),
    /** `gas`: it pays for the transactions of deposit addresses, and for nothing else. */
    purpose: Type.Optional(Type.Literal("gas")),
  },
  closed,
);

const Asset = Type.Object(
  {
    network: Type.String(),
    contract: Type.Optional(
      Type.String({
        pattern: "^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$",
        description: "the address of a token's contract, or its mint on Solana",
      }),
    ),
    decimals: Type.Integer({ minimum: 0, maximum: 36 }),
    centsPerCoin: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    paymentCents: Cents,
    hourCents: Cents,
    approvalAboveCents: Cents,
  },
  closed,
);

export const PolicyFile = Type.Object(
  {
    format: Type.Literal("exchange-policy/1"),
    installation: Type.String({ pattern: NAME_PATTERN }),
    releaseKeys: Type.Array(PublicKeyText, { minItems: 1, maxItems: 2, uniqueItems: true }),
    approvers: namesOf(PublicKeyText),
    approvalsNeeded: Type.Integer({ minimum: 2, maximum: 10 }),
    releaseHoursMax: Type.Integer({ minimum: 1, maximum: 168 }),
    replacementsMax: Type.Integer({ minimum: 0, maximum: 20 }),
    hourCents: Cents,
    dayCents: Cents,
    networks: namesOf(
      Type.Unsafe<AnyNetwork>({
        type: "object",
        discriminator: { propertyName: "kind" },
        oneOf: [EvmNetwork, CoinNetwork, TronNetwork, SolanaNetwork, XrpNetwork],
      }),
    ),
    wallets: namesOf(Wallet),
    assets: namesOf(Asset),
    denied: Type.Array(Type.String()),
  },
  closed,
);

export type PolicyFile = Static<typeof PolicyFile>;
export type EvmNetwork = Static<typeof EvmNetwork>;
export type CoinNetwork = Static<typeof CoinNetwork>;
export type TronNetwork = Static<typeof TronNetwork>;
export type SolanaNetwork = Static<typeof SolanaNetwork>;
export type XrpNetwork = Static<typeof XrpNetwork>;
type AnyNetwork = EvmNetwork | CoinNetwork | TronNetwork | SolanaNetwork | XrpNetwork;
export type Wallet = Static<typeof Wallet>;
export type Asset = Static<typeof Asset>;

export interface Policy extends Omit<PolicyFile, "releaseKeys" | "approvers"> {
  readonly releaseKeys: readonly KeyObject[];
  readonly approvers: ReadonlyMap<string, KeyObject>;
}

/** On networks with accounts each order's deposit has an address of its own, and the hot wallet has one. */
export const isOfMany = ({ keystore }: Wallet): boolean => keystore === "deposits";

/** The DER bytes before the 32 bytes of any Ed25519 public key (RFC 8410). */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");

export const parsePublicKey = (text: string): KeyObject =>
  createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Buffer.from(text.slice("ed25519:".length), "base64")]),
    format: "der",
    type: "spki",
  });

export const printPublicKey = (key: KeyObject): string =>
  `ed25519:${key.export({ format: "der", type: "spki" }).subarray(SPKI_HEAD.length).toString("base64")}`;
