import type { Network } from "../../domain/catalogue/network.ts";
import type { WalletPerson } from "../../domain/customers/personal-data.ts";
import { addressKey } from "../../domain/wallets/address-key.ts";
import {
  lookUpWallet,
  NO_SUCH_COIN,
  type WalletAnswer,
  type WalletQuestion,
} from "../../domain/wallets/look-up-wallet.ts";
import { upsertWallet } from "../../storage/wallets/wallets.ts";
import { type SavedWallet, sealWallet } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { readWallet } from "./read.ts";

export interface SaveWallet {
  readonly merchantId: string;
  readonly question: WalletQuestion;
  readonly user: WalletPerson | undefined;
}

/**
 * Saves an address for the merchant, once. Refuses CURRENCY_NOT_FOUND, INVALID_WALLET_ADDRESS,
 * NETWORK_REQUIRED and NETWORK_MISMATCH, as a look-up does.
 */
export async function saveWallet(
  deps: Pick<Deps, "database" | "catalogue" | "dataKeys">,
  command: SaveWallet,
): Promise<SavedWallet> {
  const { merchantId, question, user } = command;
  const { address, currency, network } = requireValid(lookUpWallet(deps.catalogue(), question));
  const wallet = {
    merchantId,
    currencyId: currency.id,
    walletAddress: address,
    addressKey: addressKey(network.addressFormat, address),
  };
  const id = await upsertWallet(deps.database, { ...wallet, ...sealWallet(deps, wallet, user) });
  return readWallet(deps, { merchantId, id });
}

function requireValid(answer: WalletAnswer): Extract<WalletAnswer, { kind: "valid" }> {
  switch (answer.kind) {
    case "valid":
      return answer;
    case "unknown_currency":
      throw refuse("CURRENCY_NOT_FOUND", "currencyCode", NO_SUCH_COIN);
    case "unknown_network":
      throw refuse("NETWORK_MISMATCH", "networkCode", "The currency is not on this network.");
    case "mismatch":
      throw mismatch(answer.networks);
    case "needs_network":
      throw refuse(
        "NETWORK_REQUIRED",
        "networkCode",
        `This address exists on ${namesOf(answer.networks)}. Send networkCode as one of ${codesOf(answer.networks)}.`,
      );
    case "invalid":
      throw answer.belongsTo.length > 0
        ? mismatch(answer.belongsTo)
        : refuse(
            "INVALID_WALLET_ADDRESS",
            "walletAddress",
            "This is not a valid wallet address. Check for missing or wrong characters.",
          );
  }
}

const mismatch = (networks: readonly Network[]): Refusal =>
  refuse("NETWORK_MISMATCH", "walletAddress", `This address belongs to ${namesOf(networks)}.`);

const namesOf = (networks: readonly Network[]): string =>
  networks.map(({ name }) => name).join(", ");

const codesOf = (networks: readonly Network[]): string =>
  networks.map(({ code }) => code).join(", ");

const refuse = (code: Refusal["code"], member: string, message: string): Refusal =>
  new Refusal(code, { message, details: [{ field: member, issue: message }] });
