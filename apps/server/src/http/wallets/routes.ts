import {
  ENDPOINTS,
  PAGE_LIMIT_DEFAULT,
  type Wallet,
  type WalletLookupQuery,
} from "@exchange/contract";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  lookUpWithSaved,
  readWallet,
  readWallets,
  removeWallet,
  type SavedWallet,
} from "../../flows/wallets/read.ts";
import { saveWallet } from "../../flows/wallets/save.ts";
import { hasScope, type MerchantCaller } from "../auth/caller.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Register } from "../registrar.ts";
import { created, list, ok } from "../wire.ts";
import { presentWalletLookup } from "./lookup.ts";

/** Registers the calls for a merchant's saved wallets and the address look-up. */
export function registerWallets(register: Register, deps: Deps): void {
  const present = (wallet: SavedWallet) => presentWallet(wallet, deps.catalogue());
  register(ENDPOINTS.saveWallet, async ({ caller, body, deps: joined }) => {
    const merchantId = caller.merchant.id;
    const { user } = body;
    const wallet = await saveWallet(joined, { merchantId, question: toQuestion(body), user });
    const shown = present(wallet);
    // A key without `read` learns no name that another key saved.
    const named = caller.keyScopes.includes("read") ? shown : { ...shown, user: user ?? NOBODY };
    return created(named, "The wallet was saved.");
  });
  register(ENDPOINTS.listWallets, async ({ caller, query }) => {
    const below = query.cursor === undefined ? undefined : decodeCursor("wallets", query.cursor)[0];
    const from = { merchantId: caller.merchant.id, below };
    const { items, last } = await readWallets(deps, from, query.limit ?? PAGE_LIMIT_DEFAULT);
    return list(
      items.map(present),
      last === undefined ? undefined : encodeCursor("wallets", [last]),
    );
  });
  register(ENDPOINTS.readWallet, async ({ caller, params }) =>
    ok(present(await readWallet(deps, keyOf(caller, params.walletId)))),
  );
  register(ENDPOINTS.removeWallet, async ({ caller, params }) => {
    await removeWallet(deps, keyOf(caller, params.walletId));
    return null;
  });
  registerLookups(register, deps);
}

function registerLookups(register: Register, deps: Deps): void {
  const lookUp = (merchantId: string, query: WalletLookupQuery) =>
    lookUpWithSaved(deps, merchantId, toQuestion(query));
  register(ENDPOINTS.lookUpWallet, async ({ caller, query }) => {
    const { answer, wallet } = await lookUp(caller.merchant.id, query);
    const shown = wallet ? presentWallet(wallet, deps.catalogue()) : null;
    return presentWalletLookup(answer, query, shown);
  });
  register(ENDPOINTS.lookUpCheckoutWallet, async ({ caller, query }) => {
    const { answer, wallet } = await lookUp(caller.merchant.id, query);
    const shown =
      wallet && hasScope(caller, "wallet.read")
        ? withoutNames(presentWallet(wallet, deps.catalogue()))
        : null;
    return presentWalletLookup(answer, query, shown);
  });
}

const keyOf = ({ merchant }: MerchantCaller, walletId: number) => ({
  merchantId: merchant.id,
  id: BigInt(walletId),
});

const toQuestion = ({ walletAddress, currencyCode, networkCode }: WalletLookupQuery) => ({
  walletAddress,
  currency: currencyCode,
  networkCode,
});

function presentWallet(wallet: SavedWallet, catalogue: Catalogue): Wallet {
  const currency = catalogue.currencyById(wallet.currencyId);
  if (!currency) throw new Error(`the catalogue has no currency ${wallet.currencyId}`);
  return {
    id: Number(wallet.id),
    user: { firstName: wallet.firstName, lastName: wallet.lastName },
    walletAddress: wallet.walletAddress,
    currencyCode: currency.code,
    networkCode: currency.networkCode ?? "",
  };
}

const NOBODY: Wallet["user"] = { firstName: "", lastName: "" };

/** Any checkout may look up any address, so the answer never says whose wallet it is. */
const withoutNames = (wallet: Wallet): Wallet => ({ ...wallet, user: NOBODY });
