import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { Network } from "../catalogue/network.ts";
import { addressKey } from "./address-key.ts";
import { isAddressOn } from "./check-address.ts";
import { isOnCurve } from "./solana.ts";
import { hasNoKey } from "./without-key.ts";

/** Why coins that are sent to an address would be lost, or could not be sent. */
export type DestinationFault = "not_an_address" | "no_key" | "token_contract" | "token_account";

/** A coin on its network. */
interface Coin {
  readonly network: Network;
  readonly currency: Pick<Currency, "contractAddress">;
}

/**
 * Returns why the coin must not be sent to the address; undefined for an address that may have it. The contract of any
 * token is refused, also on a network where it is not, because nobody has a key of it and the signer refuses it.
 */
export function destinationFault(
  catalogue: Pick<Catalogue, "currencies">,
  { network, currency }: Coin,
  address: string,
): DestinationFault | undefined {
  const { addressFormat: format } = network;
  if (!isAddressOn(network, address)) return "not_an_address";
  if (hasNoKey(format, address)) return "no_key";
  const key = addressKey(format, address);
  const isContract = catalogue.currencies.some(
    ({ contractAddress }) =>
      contractAddress !== null && addressKey(format, contractAddress) === key,
  );
  if (isContract) return "token_contract";
  // A token account has no key of its own. Tokens that are sent to it as to a wallet are lost.
  const canHaveTokens = format !== "solana" || isOnCurve(address);
  return currency.contractAddress !== null && !canHaveTokens ? "token_account" : undefined;
}
