import type { Wallet, WalletLookupQuery, WalletLookupResult } from "@exchange/contract";
import type { Network } from "../../domain/catalogue/network.ts";
import { addressStarts } from "../../domain/wallets/coin-prefixes.ts";
import { NO_SUCH_COIN, type WalletAnswer } from "../../domain/wallets/look-up-wallet.ts";
import { Refusal } from "../../flows/refusal.ts";

/** The wallet lookup result of the interface. */
export function presentWalletLookup(
  answer: WalletAnswer,
  query: WalletLookupQuery,
  wallet: Wallet | null,
): WalletLookupResult {
  const coin = query.currencyCode.toUpperCase();
  switch (answer.kind) {
    case "unknown_currency":
      throw refuse("CURRENCY_NOT_FOUND", "currencyCode", NO_SUCH_COIN);
    case "unknown_network":
      throw refuse("NETWORK_MISMATCH", "networkCode", `${coin} is not on this network.`);
    case "invalid":
      return result({
        message: invalidMessage(coin, answer.belongsTo),
        ...otherChain(answer),
      });
    case "mismatch":
      return result({
        message: `This address does not belong to ${answer.givenNetwork.name}. It belongs to ${namesOf(answer.networks)}.`,
        availableNetworks: codesOf(answer.networks),
      });
    case "needs_network":
      return result({
        message: `This address exists on ${namesOf(answer.networks)}. Send networkCode as one of ${codesOf(answer.networks).join(", ")}.`,
        availableNetworks: codesOf(answer.networks),
        requiresNetworkCode: true,
      });
    case "valid":
      return result({
        success: true,
        message: `This is an address of ${answer.currency.code} on ${answer.network.name}.`,
        availableNetworks: [answer.network.code],
        wallet,
      });
  }
}

const result = (
  fields: Pick<WalletLookupResult, "message"> & Partial<WalletLookupResult>,
): WalletLookupResult => ({
  success: false,
  wallet: null,
  availableNetworks: [],
  requiresNetworkCode: false,
  ...fields,
});

const otherChain = ({ belongsTo, expected }: Extract<WalletAnswer, { kind: "invalid" }>) =>
  belongsTo.length > 0 && {
    belongsTo: codesOf(belongsTo),
    addressStarts: [...addressStarts(expected.addressFormat, expected.addressChain)],
  };

const invalidMessage = (coin: string, belongsTo: readonly Network[]): string =>
  belongsTo.length > 0
    ? `This is not an address of ${coin}. It belongs to ${namesOf(belongsTo)}.`
    : `This is not an address of ${coin}. Check for missing or wrong characters.`;

const codesOf = (networks: readonly Network[]): string[] => networks.map(({ code }) => code);

const namesOf = (networks: readonly Network[]): string =>
  networks.map(({ name }) => name).join(", ");

const refuse = (code: Refusal["code"], member: string, message: string): Refusal =>
  new Refusal(code, { message, details: [{ path: `query.${member}`, issue: message }] });
