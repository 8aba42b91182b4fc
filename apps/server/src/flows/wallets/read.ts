import { addressKey } from "../../domain/wallets/address-key.ts";
import {
  lookUpWallet,
  type WalletAnswer,
  type WalletQuestion,
} from "../../domain/wallets/look-up-wallet.ts";
import {
  deleteWallet,
  findWallet,
  findWalletByAddress,
  listWallets,
  type WalletKey,
} from "../../storage/wallets/wallets.ts";
import { type SavedWallet, unsealWallet } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";
import { Refusal } from "../refusal.ts";

export type { SavedWallet } from "../customers/personal-data.ts";

type WalletDeps = Pick<Deps, "database" | "catalogue" | "dataKeys">;

/** Reads one of the merchant's wallets. Refuses NOT_FOUND. */
export async function readWallet(deps: WalletDeps, key: WalletKey): Promise<SavedWallet> {
  const wallet = await findWallet(deps.database, key);
  if (!wallet) throw notFound();
  return unsealWallet(deps, wallet);
}

/** Deletes one of the merchant's wallets. Refuses NOT_FOUND. */
export async function removeWallet(deps: WalletDeps, key: WalletKey): Promise<void> {
  if (!(await deleteWallet(deps.database, key))) throw notFound();
}

const notFound = (): Refusal => new Refusal("NOT_FOUND", { message: "There is no such wallet." });

/** Lists a merchant's wallets, newest first. */
export async function readWallets(
  deps: WalletDeps,
  from: { readonly merchantId: string; readonly below: bigint | undefined },
  limit: number,
): Promise<Page<SavedWallet, bigint>> {
  const { items, last } = pageOf(await listWallets(deps.database, from, limit + 1), limit);
  return { items: items.map((wallet) => unsealWallet(deps, wallet)), last: last?.id };
}

/** The answer about an address, and the wallet that the merchant saved for it. */
export interface WalletLookUp {
  readonly answer: WalletAnswer;
  /** The saved wallet, where the answer names one address of one coin on one network. */
  readonly wallet: SavedWallet | undefined;
}

/** Looks up an address for a coin, and whether the merchant has saved it. */
export async function lookUpWithSaved(
  deps: WalletDeps,
  merchantId: string,
  question: WalletQuestion,
): Promise<WalletLookUp> {
  const answer = lookUpWallet(deps.catalogue(), question);
  if (answer.kind !== "valid") return { answer, wallet: undefined };
  const wallet = await findWalletByAddress(deps.database, {
    merchantId,
    currencyId: answer.currency.id,
    addressKey: addressKey(answer.network.addressFormat, answer.address),
  });
  return { answer, wallet: wallet && unsealWallet(deps, wallet) };
}
