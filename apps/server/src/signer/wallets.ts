import { HDKey } from "@scure/bip32";
import { p2wpkh } from "@scure/btc-signer";
import { addr } from "micro-eth-signer";
import { toTronForm } from "../domain/wallets/tron.ts";
import { xrpAddressOfKey } from "../domain/wallets/xrp-address.ts";
import { coinParameters } from "./coin-parameters.ts";
import {
  type CoinNetwork,
  type EvmNetwork,
  isOfMany,
  type Policy,
  type SolanaNetwork,
  type TronNetwork,
  type Wallet,
  type XrpNetwork,
} from "./policy.ts";
import { SignRefusal } from "./signer-error.ts";
import { type SolanaAccount, type SolanaDepositAccount, SolanaWallets } from "./solana-wallets.ts";

/** One address of an EVM wallet with its key. */
export interface EvmAccount {
  readonly name: string;
  /** Chain and address. Places are named by it, so a renamed wallet keeps its places. */
  readonly place: string;
  readonly networkCode: string;
  readonly network: EvmNetwork;
  readonly address: string;
  /** Whether it pays only for the transactions of deposit addresses. */
  readonly isGasTank: boolean;
  /** Whether it is one of the addresses that customers pay to. */
  readonly isDeposit: boolean;
  readonly key: Uint8Array;
}

/** One address of a Tron wallet with its key. */
export interface TronAccount {
  readonly name: string;
  readonly networkCode: string;
  readonly network: TronNetwork;
  readonly address: string;
  /** Whether it is one of the addresses that customers pay to. */
  readonly isDeposit: boolean;
  readonly key: Uint8Array;
}

/** The account on the XRP Ledger with its key. It takes deposits and makes payouts. */
export interface XrpSigningAccount {
  readonly name: string;
  /** Chain and address, by which its places are named. */
  readonly place: string;
  readonly networkCode: string;
  readonly network: XrpNetwork;
  readonly address: string;
  readonly key: Uint8Array;
}

/** A wallet of the Bitcoin family: branch 0 receives, branch 1 takes change. */
export interface CoinWallet {
  readonly name: string;
  readonly networkCode: string;
  readonly network: CoinNetwork;
  /** Returns the key and script of one address. */
  at(branch: 0 | 1, index: number): { readonly key: Uint8Array; readonly script: Uint8Array };
}

export interface Seeds {
  readonly hot: Uint8Array;
  readonly deposits: Uint8Array;
}

interface Entry {
  readonly wallet: Wallet;
  readonly network: Exclude<Policy["networks"][string], SolanaNetwork>;
  readonly node: HDKey;
  /** The extended public key from which a program without keys derives the same addresses. */
  readonly xpub: string;
}

/**
 * The wallets that the policy names, derived from the two seeds (BIP-32). Nothing returns a seed or an extended
 * private key.
 */
export class Wallets {
  readonly fingerprints: { readonly hot: string; readonly deposits: string };
  readonly #entries = new Map<string, Entry>();
  /** Keys of Solana are of another curve, and have a derivation of their own. */
  readonly #solana: SolanaWallets;

  constructor(policy: Policy, seeds: Seeds) {
    const { networks, wallets } = policy;
    this.#solana = new SolanaWallets(policy, seeds);
    const roots = {
      hot: HDKey.fromMasterSeed(seeds.hot),
      deposits: HDKey.fromMasterSeed(seeds.deposits),
    };
    this.fingerprints = { hot: fingerprintOf(roots.hot), deposits: fingerprintOf(roots.deposits) };
    for (const [name, wallet] of Object.entries(wallets)) {
      const network = networks[wallet.network];
      if (network?.kind === "solana") continue;
      const root = roots[wallet.keystore];
      const node = root.derive(wallet.path);
      const { publicExtendedKey: xpub } = root.derive(accountPathOf(wallet, network?.kind));
      if (network) this.#entries.set(name, { wallet, network, node, xpub });
    }
    for (const root of Object.values(roots)) root.wipePrivateData();
  }

  /** Returns an account of an EVM network: "eth-hot-1", or one address of many: "eth-deposits/17". */
  evm(account: string): EvmAccount {
    const { name, wallet, network, key } = this.#account(account);
    if (network.kind !== "evm") {
      throw new SignRefusal(
        "network",
        `${name} is a wallet of ${wallet.network}, not of an EVM network.`,
      );
    }
    const address = addr.fromPrivateKey(key());
    const place = `${network.chainId}/${address.toLowerCase()}`;
    const isGasTank = wallet.purpose === "gas";
    const kind = { isGasTank, isDeposit: isOfMany(wallet) };
    const facts = { name: account, place, networkCode: wallet.network, network, address, ...kind };
    return { ...facts, key: key() };
  }

  /** Returns an account of Tron: "tron-hot", or one address of many: "tron-deposits/17". */
  tron(account: string): TronAccount {
    const { name, wallet, network, key } = this.#account(account);
    if (network.kind !== "tron") {
      throw new SignRefusal("network", `${name} is a wallet of ${wallet.network}, not of Tron.`);
    }
    const address = toTronForm(addr.fromPrivateKey(key()));
    const isDeposit = isOfMany(wallet);
    return { name: account, networkCode: wallet.network, network, address, isDeposit, key: key() };
  }

  xrp(name: string): XrpSigningAccount {
    const { wallet, network, node } = this.#find(name);
    if (network.kind !== "xrp") {
      throw new SignRefusal(
        "network",
        `${name} is a wallet of ${wallet.network}, not of the XRP Ledger.`,
      );
    }
    const address = xrpAddressOfKey(publicKeyOf(node));
    const place = `xrp-${network.networkId}/${address}`;
    return { name, place, networkCode: wallet.network, network, address, key: keyOf(node) };
  }

  /** Returns a wallet of Solana that has one address. */
  solana(name: string): SolanaAccount {
    this.#requireSolana(name);
    return this.#solana.account(name);
  }

  /** Returns one deposit address: "solana-deposits/17". */
  solanaDeposit(account: string): SolanaDepositAccount {
    this.#requireSolana(account.split("/")[0] ?? "");
    return this.#solana.deposit(account);
  }

  coins(name: string): CoinWallet {
    const { wallet, network, node } = this.#find(name);
    if (network.kind !== "coins") {
      throw new SignRefusal(
        "network",
        `${name} is a wallet of ${wallet.network}; it has no coins.`,
      );
    }
    const parameters = coinParameters(network);
    const at = (branch: 0 | 1, index: number) => {
      const child = node.deriveChild(branch).deriveChild(index);
      return { key: keyOf(child), script: p2wpkh(publicKeyOf(child), parameters).script };
    };
    return { name, networkCode: wallet.network, network, at };
  }

  /** Returns the address of a wallet of one, or the public key that the addresses of a wallet of many derive from. */
  publicPart(name: string): { readonly address: string | null; readonly publicKey: string | null } {
    if (this.#solana.has(name)) return this.#solana.publicPart(name);
    const { wallet, network, node, xpub } = this.#find(name);
    return network.kind === "coins" || isOfMany(wallet)
      ? { address: null, publicKey: xpub }
      : { address: addressOf(network, publicKeyOf(node)), publicKey: null };
  }

  /** Returns receiving addresses of a wallet with their paths. */
  addresses(name: string, from: number, count: number): { path: string; address: string }[] {
    if (this.#solana.has(name)) return this.#solana.addresses(name, from, count);
    const { wallet, network, node } = this.#find(name);
    if (network.kind !== "coins" && !isOfMany(wallet)) {
      return [{ path: wallet.path, address: addressOf(network, publicKeyOf(node)) }];
    }
    const [parent, branch] =
      network.kind === "coins" ? [node.deriveChild(0), "/0"] : ([node, ""] as const);
    return Array.from({ length: count }, (_, offset) => {
      const index = from + offset;
      const address = addressOf(network, publicKeyOf(parent.deriveChild(index)));
      return { path: `${wallet.path}${branch}/${index}`, address };
    });
  }

  /** Finds a wallet of one address, or one address of a wallet of many. */
  #account(account: string) {
    const [name = "", index] = account.split("/");
    const { wallet, network, node } = this.#find(name);
    const key = (): Uint8Array => {
      if (isOfMany(wallet) !== (index !== undefined)) {
        const form = isOfMany(wallet) ? `${name}/<number>` : name;
        throw new SignRefusal("unlisted", `"${account}" is not an account. Write ${form}.`);
      }
      return keyOf(index === undefined ? node : node.deriveChild(Number(index)));
    };
    return { name, wallet, network, key };
  }

  #requireSolana(name: string): void {
    if (this.#solana.has(name)) return;
    const { wallet } = this.#find(name);
    throw new SignRefusal("network", `${name} is a wallet of ${wallet.network}, not of Solana.`);
  }

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    if (this.#solana.has(name)) {
      throw new SignRefusal("network", `${name} is a wallet of Solana.`);
    }
    throw new SignRefusal("unlisted", `The policy has no wallet "${name}".`);
  }
}

function addressOf(network: Entry["network"], key: Uint8Array): string {
  if (network.kind === "coins") return p2wpkh(key, coinParameters(network)).address ?? "";
  if (network.kind === "xrp") return xrpAddressOfKey(key);
  const address = addr.fromPublicKey(key);
  return network.kind === "tron" ? toTronForm(address) : address;
}

/**
 * The addresses of a deposit wallet with accounts are children of its path, which ends in the account's branch 0. The service
 * is configured with the account, and derives `0/<index>` (BIP-44).
 */
const accountPathOf = (wallet: Wallet, kind: Entry["network"]["kind"] | undefined): string =>
  kind !== "coins" && isOfMany(wallet) ? wallet.path.replace(/\/0$/, "") : wallet.path;

const fingerprintOf = (root: HDKey): string => root.fingerprint.toString(16).padStart(8, "0");

function keyOf({ privateKey }: HDKey): Uint8Array {
  if (privateKey === null) throw new Error("a derived node has no private key");
  return privateKey;
}

function publicKeyOf({ publicKey }: HDKey): Uint8Array {
  if (publicKey === null) throw new Error("a derived node has no public key");
  return publicKey;
}
