import { createPublicKey, type KeyObject } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { isSolanaAddress } from "../domain/wallets/solana.ts";
import { xrpAccountOf } from "../domain/wallets/xrp-address.ts";
import { checkerOf } from "./schema-check.ts";
import { SignerError } from "./signer-error.ts";

const Name = "^[a-z0-9][a-z0-9._-]{0,63}$";
const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Units = Type.String({ pattern: "^[1-9][0-9]{0,38}$" });
const PublicKeyText = Type.String({ pattern: "^ed25519:[A-Za-z0-9+/]{43}=$" });
const closed = { additionalProperties: false } as const;
const namesOf = <Schema extends Parameters<typeof Type.Record>[1]>(schema: Schema) =>
  Type.Record(Type.String({ pattern: Name }), schema, closed);

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
    chain: Type.Union([Type.Literal("bitcoin"), Type.Literal("litecoin")]),
    environment: Type.Union([
      Type.Literal("mainnet"),
      Type.Literal("testnet"),
      Type.Literal("regtest"),
    ]),
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
    genesis: Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" }),
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
    keystore: Type.Union([Type.Literal("hot"), Type.Literal("deposits")]),
    path: Type.String({ pattern: "^m(/[0-9]{1,9}'?){1,8}$" }),
    /** `gas`: it pays for the transactions of deposit addresses, and for nothing else. */
    purpose: Type.Optional(Type.Literal("gas")),
  },
  closed,
);

const Asset = Type.Object(
  {
    network: Type.String(),
    contract: Type.Optional(
      Type.String({ pattern: "^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$" }),
    ),
    decimals: Type.Integer({ minimum: 0, maximum: 36 }),
    centsPerCoin: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    paymentCents: Cents,
    hourCents: Cents,
    approvalAboveCents: Cents,
  },
  closed,
);

const PolicyFile = Type.Object(
  {
    format: Type.Literal("exchange-policy/1"),
    installation: Type.String({ pattern: Name }),
    releaseKeys: Type.Array(PublicKeyText, { minItems: 1, maxItems: 2, uniqueItems: true }),
    approvers: namesOf(PublicKeyText),
    approvalsNeeded: Type.Integer({ minimum: 2, maximum: 10 }),
    releaseHoursMax: Type.Integer({ minimum: 1, maximum: 168 }),
    replacementsMax: Type.Integer({ minimum: 0, maximum: 20 }),
    hourCents: Cents,
    dayCents: Cents,
    networks: namesOf(
      Type.Union([EvmNetwork, CoinNetwork, TronNetwork, SolanaNetwork, XrpNetwork]),
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
export type Wallet = Static<typeof Wallet>;
export type Asset = Static<typeof Asset>;

export interface Policy extends Omit<PolicyFile, "releaseKeys" | "approvers"> {
  readonly releaseKeys: readonly KeyObject[];
  readonly approvers: ReadonlyMap<string, KeyObject>;
}

/** On networks with accounts each order's deposit has an address of its own, and the hot wallet has one. */
export const isOfMany = ({ keystore }: Wallet): boolean => keystore === "deposits";

const checkPolicy = checkerOf(PolicyFile, "policy file");

/** Parses the policy file. Throws a `SignerError` that names every problem. */
export function parsePolicy(text: string): Policy {
  const file = checkPolicy(text);
  const problems = contradictionsIn(file);
  if (problems.length > 0) {
    throw new SignerError(`The policy file is not valid:\n- ${problems.join("\n- ")}`);
  }
  return {
    ...file,
    releaseKeys: file.releaseKeys.map(parsePublicKey),
    approvers: new Map(
      Object.entries(file.approvers).map(([name, key]) => [name, parsePublicKey(key)]),
    ),
  };
}

/** The DER bytes before the 32 bytes of any Ed25519 public key (RFC 8410). */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");

const parsePublicKey = (text: string): KeyObject =>
  createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Buffer.from(text.slice("ed25519:".length), "base64")]),
    format: "der",
    type: "spki",
  });

export const printPublicKey = (key: KeyObject): string =>
  `ed25519:${key.export({ format: "der", type: "spki" }).subarray(SPKI_HEAD.length).toString("base64")}`;

function contradictionsIn(policy: PolicyFile): string[] {
  const { networks, wallets, assets, approvers, releaseKeys, approvalsNeeded } = policy;
  const keys = [...Object.values(approvers), ...releaseKeys];
  const count = Object.keys(approvers).length;
  const accounts = Object.values(wallets).map(({ keystore, path, network }) =>
    [keystore, path, network].join(" "),
  );
  const chains = Object.values(networks).map(chainOf);
  return [
    ...(hasDuplicates(keys) ? ["each approver and the releaser need a key of their own"] : []),
    ...(count > 0 && count < approvalsNeeded
      ? [`approvalsNeeded is ${approvalsNeeded}, but there are ${count} approvers`]
      : []),
    // Two names for one account would have two sequences of places, and so could pay twice.
    ...(hasDuplicates(accounts) ? ["two wallets have the same keystore, path and network"] : []),
    ...("cold" in wallets ? ['no wallet may be called "cold", which is the cold address'] : []),
    ...(hasDuplicates(chains) ? ["two networks are the same chain"] : []),
    ...(policy.denied.some(isSecondForm)
      ? ["write each denied X-address as its classic address, which begins with r"]
      : []),
    ...Object.entries(wallets).flatMap(([name, wallet]) => walletProblems(name, wallet, policy)),
    ...Object.entries(assets).flatMap(([name, asset]) => assetProblems(name, asset, policy)),
  ];
}

const TRON_CONTRACT = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

/** Whether a text is a contract's address, or a mint, on a network of the kind. */
const CONTRACTS: Readonly<Partial<Record<string, (text: string) => boolean>>> = {
  evm: (text) => text.startsWith("0x"),
  tron: (text) => TRON_CONTRACT.test(text),
  solana: isSolanaAddress,
};

const SOL_DECIMALS = 9;

function assetProblems(name: string, asset: Asset, { networks }: PolicyFile): string[] {
  const network = networks[asset.network];
  if (!network) return [`asset ${name}: there is no network "${asset.network}"`];
  const { contract, decimals } = asset;
  if (contract === undefined) {
    // A token whose mint was forgotten would be paid in lamports.
    if (network.kind !== "solana" || decimals === SOL_DECIMALS) return [];
    return [
      `asset ${name}: without a contract it is SOL, which has ${SOL_DECIMALS} decimals and not ${decimals}. Write the mint of a token as its contract`,
    ];
  }
  const form = CONTRACTS[network.kind];
  if (form === undefined) return [`asset ${name}: ${asset.network} has no token contracts`];
  if (form(contract)) return [];
  return [`asset ${name}: ${contract} is not a contract's address on ${asset.network}`];
}

/** Keys of Ed25519 have no public derivation, so every step of a path is hardened (SLIP-0010). */
const HARDENED = /^m(\/[0-9]{1,9}')+$/;

function walletProblems(name: string, wallet: Wallet, { networks }: PolicyFile): string[] {
  const network = networks[wallet.network];
  if (!network) return [`wallet ${name}: there is no network "${wallet.network}"`];
  if (network.kind === "solana" && !HARDENED.test(wallet.path)) {
    return [`wallet ${name}: each step of a path of Solana is hardened, as in m/44'/501'/0'/0'`];
  }
  if (wallet.purpose === "gas" && (network.kind !== "evm" || wallet.keystore === "deposits")) {
    return [`wallet ${name}: a gas tank is a wallet of the hot keystore on an EVM network`];
  }
  if (wallet.keystore !== "deposits") return [];
  const coin = network.kind === "coins" ? network.chain : network.kind;
  return network.kind === "coins" || network.kind === "xrp"
    ? [`wallet ${name}: a ${coin} wallet takes deposits itself; use the hot keystore`]
    : [];
}

function chainOf(network: PolicyFile["networks"][string]): string {
  if (network.kind === "coins") return `${network.chain} ${network.environment}`;
  if (network.kind === "solana") return network.genesis;
  return network.kind === "xrp" ? `xrp ${network.networkId}` : String(network.chainId);
}

/** Another form of the same account would not be recognized as denied. */
const isSecondForm = (address: string): boolean => xrpAccountOf(address) !== undefined;

const hasDuplicates = (values: readonly unknown[]): boolean =>
  new Set(values).size !== values.length;
