import { HDKey } from "@scure/bip32";
import { p2wpkh } from "@scure/btc-signer";
import { addr } from "micro-eth-signer";
import { toTronForm } from "../domain/wallets/tron.ts";
import { coinParameters } from "./coin-parameters.ts";
import type { CoinNetwork, EvmNetwork, Policy, TronNetwork, Wallet } from "./policy.ts";
import { SignRefusal } from "./signer-error.ts";

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

/** The hot wallet of Tron with its key. */
export interface TronAccount {
  readonly name: string;
  readonly networkCode: string;
  readonly network: TronNetwork;
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
  readonly network: Policy["networks"][string];
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

  constructor({ networks, wallets }: Policy, seeds: Seeds) {
    const roots = {
      hot: HDKey.fromMasterSeed(seeds.hot),
      deposits: HDKey.fromMasterSeed(seeds.deposits),
    };
    this.fingerprints = { hot: fingerprintOf(roots.hot), deposits: fingerprintOf(roots.deposits) };
    for (const [name, wallet] of Object.entries(wallets)) {
      const network = networks[wallet.network];
      const root = roots[wallet.keystore];
      const node = root.derive(wallet.path);
      const { publicExtendedKey: xpub } = root.derive(accountPathOf(wallet, network?.kind));
      if (network) this.#entries.set(name, { wallet, network, node, xpub });
    }
    for (const root of Object.values(roots)) root.wipePrivateData();
  }

  /** Returns an account of an EVM network: "eth-hot-1", or one address of many: "eth-deposits/17". */
  evm(account: string): EvmAccount {
    const [name = "", index] = account.split("/");
    const { wallet, network, node } = this.#find(name);
    if (network.kind !== "evm") {
      throw new SignRefusal(
        "network",
        `${name} is a wallet of ${wallet.network}, not of an EVM network.`,
      );
    }
    if (isOfMany(wallet) !== (index !== undefined)) {
      const form = isOfMany(wallet) ? `${name}/<number>` : name;
      throw new SignRefusal("unlisted", `"${account}" is not an account. Write ${form}.`);
    }
    const key = keyOf(index === undefined ? node : node.deriveChild(Number(index)));
    const address = addr.fromPrivateKey(key);
    const place = `${network.chainId}/${address.toLowerCase()}`;
    const isGasTank = wallet.purpose === "gas";
    const kind = { isGasTank, isDeposit: isOfMany(wallet) };
    return { name: account, place, networkCode: wallet.network, network, address, ...kind, key };
  }

  /** Returns a wallet of Tron that has one address. */
  tron(name: string): TronAccount {
    const { wallet, network, node } = this.#find(name);
    if (network.kind !== "tron") {
      throw new SignRefusal("network", `${name} is a wallet of ${wallet.network}, not of Tron.`);
    }
    if (isOfMany(wallet)) {
      throw new SignRefusal("unlisted", `${name} takes deposits, and signs nothing on Tron.`);
    }
    const key = keyOf(node);
    const address = toTronForm(addr.fromPrivateKey(key));
    return { name, networkCode: wallet.network, network, address, key };
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

  /** Returns the address of a wallet of one, or the extended public key of a wallet of many. */
  publicPart(name: string): { readonly address: string | null; readonly publicKey: string | null } {
    const { wallet, network, node, xpub } = this.#find(name);
    return network.kind === "coins" || isOfMany(wallet)
      ? { address: null, publicKey: xpub }
      : { address: addressOf(network, publicKeyOf(node)), publicKey: null };
  }

  /** Returns receiving addresses of a wallet with their paths. */
  addresses(name: string, from: number, count: number): { path: string; address: string }[] {
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

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    throw new SignRefusal("unlisted", `The policy has no wallet "${name}".`);
  }
}

function addressOf(network: Policy["networks"][string], key: Uint8Array): string {
  if (network.kind === "coins") return p2wpkh(key, coinParameters(network)).address ?? "";
  const address = addr.fromPublicKey(key);
  return network.kind === "tron" ? toTronForm(address) : address;
}

/** On networks with accounts each order's deposit has an address of its own, and the hot wallet has one. */
const isOfMany = ({ keystore }: Wallet): boolean => keystore === "deposits";

/**
 * The addresses of a deposit wallet with accounts are children of its path, which ends in the account's branch 0. The service
 * is configured with the account, and derives `0/<index>` (BIP-44).
 */
const accountPathOf = (
  wallet: Wallet,
  kind: Policy["networks"][string]["kind"] | undefined,
): string => (kind !== "coins" && isOfMany(wallet) ? wallet.path.replace(/\/0$/, "") : wallet.path);

const fingerprintOf = (root: HDKey): string => root.fingerprint.toString(16).padStart(8, "0");

function keyOf({ privateKey }: HDKey): Uint8Array {
  if (privateKey === null) throw new Error("a derived node has no private key");
  return privateKey;
}

function publicKeyOf({ publicKey }: HDKey): Uint8Array {
  if (publicKey === null) throw new Error("a derived node has no public key");
  return publicKey;
}
