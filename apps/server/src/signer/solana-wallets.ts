import { ed25519 } from "@noble/curves/ed25519.js";
import { depositAddressOf, type SeededAddress, toSolanaForm } from "../domain/wallets/solana.ts";
import { isOfMany, type Policy, type SolanaNetwork, type Wallet } from "./policy.ts";
import { SignRefusal } from "./signer-error.ts";
import { deriveEd25519 } from "./slip10.ts";

/** An account of Solana with its key. */
export interface SolanaAccount {
  readonly name: string;
  readonly networkCode: string;
  readonly network: SolanaNetwork;
  readonly address: string;
  readonly key: Uint8Array;
}

/**
 * A deposit address. `address` and `key` belong to the account from which it derives. The key of that account moves
 * its coins.
 */
export interface SolanaDepositAccount extends SolanaAccount {
  readonly deposit: SeededAddress;
}

type Entry = SolanaAccount & { readonly wallet: Wallet };

/** The wallets of Solana that the policy names, derived from the two seeds (SLIP-0010). */
export class SolanaWallets {
  readonly #entries = new Map<string, Entry>();

  constructor(
    { networks, wallets }: Pick<Policy, "networks" | "wallets">,
    seeds: Readonly<Record<Wallet["keystore"], Uint8Array>>,
  ) {
    for (const [name, wallet] of Object.entries(wallets)) {
      const network = networks[wallet.network];
      if (network?.kind !== "solana") continue;
      const key = deriveEd25519(seeds[wallet.keystore], wallet.path);
      const address = toSolanaForm(ed25519.getPublicKey(key));
      const networkCode = wallet.network;
      this.#entries.set(name, { name, networkCode, network, wallet, address, key });
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Returns a wallet that has one address. */
  account(name: string): SolanaAccount {
    const entry = this.#find(name);
    if (!isOfMany(entry.wallet)) return entry;
    throw new SignRefusal(
      "unlisted",
      `${name} takes deposits. Only sweeps to hot wallets leave it.`,
    );
  }

  /** Returns one deposit address of a wallet of many: "solana-deposits/17". */
  deposit(account: string): SolanaDepositAccount {
    const [name = "", index] = account.split("/");
    const entry = this.#find(name);
    if (!isOfMany(entry.wallet) || index === undefined) {
      throw new SignRefusal(
        "unlisted",
        `"${account}" is not a deposit address of Solana. Write <wallet of deposits>/<number>.`,
      );
    }
    return { ...entry, name: account, deposit: depositAddressOf(entry.address, Number(index)) };
  }

  /** Returns the address of a wallet of one, or the public key that the addresses of a wallet of many derive from. */
  publicPart(name: string): { readonly address: string | null; readonly publicKey: string | null } {
    const { wallet, address } = this.#find(name);
    return isOfMany(wallet) ? { address: null, publicKey: address } : { address, publicKey: null };
  }

  /**
   * Returns the addresses with their paths. The path of a deposit address is the path of the key that moves its
   * coins, with a seed.
   */
  addresses(name: string, from: number, count: number): { path: string; address: string }[] {
    const { wallet, address: base } = this.#find(name);
    if (!isOfMany(wallet)) return [{ path: wallet.path, address: base }];
    return Array.from({ length: count }, (_, offset) => {
      const { address, seed } = depositAddressOf(base, from + offset);
      return { path: `${wallet.path} with seed ${seed}`, address };
    });
  }

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    throw new SignRefusal("unlisted", `The policy has no wallet "${name}" on Solana.`);
  }
}
