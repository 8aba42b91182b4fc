import type { PlaceOrderRequest } from "@exchange/contract";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { Currency } from "../domain/catalogue/currency.ts";
import type { Network } from "../domain/catalogue/network.ts";
import { checkAddress } from "../domain/wallets/check-address.ts";
import { Refusal } from "./refusal.ts";

/** Where an order's coins go. */
export interface Destination {
  readonly walletAddress: string;
  readonly networkCode: string;
  readonly memo: string | null;
}

/**
 * The destination the customer named, checked against the network of the currency received. Refuses
 * INVALID_INPUT, INVALID_WALLET_ADDRESS and NETWORK_MISMATCH: a payout cannot be undone.
 */
export function checkDestination(
  catalogue: Catalogue,
  currency: Currency,
  request: PlaceOrderRequest,
): Destination {
  const network =
    currency.networkCode === null ? undefined : catalogue.network(currency.networkCode);
  if (!network) throw new Error(`${currency.reference} is not on a network`);
  const walletAddress = request.walletAddress?.trim();
  if (!walletAddress) {
    throw new Refusal("INVALID_INPUT", {
      message: "walletAddress says where the coins go.",
      details: [{ path: "body.walletAddress", issue: "is required" }],
    });
  }
  if (request.networkCode && request.networkCode.toLowerCase() !== network.code) {
    throw mismatch(`The quote is for ${currency.code} on ${network.name}.`, "body.networkCode");
  }
  if (!checkAddress(network.addressFormat, walletAddress)) {
    throw addressRefusal(catalogue, network, walletAddress);
  }
  return { walletAddress, networkCode: network.code, memo: checkMemo(network, request.memo) };
}

/** An address of another network gets its own words: it is the mistake that loses money. */
function addressRefusal(catalogue: Catalogue, network: Network, address: string): Refusal {
  const other = catalogue.networks.find(
    (candidate) =>
      candidate.addressFormat !== network.addressFormat &&
      checkAddress(candidate.addressFormat, address),
  );
  if (other) {
    return mismatch(
      `This address belongs to ${other.name}, not to ${network.name}.`,
      "body.walletAddress",
    );
  }
  return new Refusal("INVALID_WALLET_ADDRESS", {
    message: `This is not a valid ${network.name} address. Check for missing or wrong characters.`,
    details: [{ path: "body.walletAddress", issue: "has a wrong form or checksum" }],
  });
}

function checkMemo(network: Network, memo: string | undefined): string | null {
  if (network.memo === "none" && memo !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `${network.name} takes no memo.`,
      details: [{ path: "body.memo", issue: "is not used on this network" }],
    });
  }
  if (network.memo === "required" && memo === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `${network.name} needs a memo beside the address.`,
      details: [{ path: "body.memo", issue: "is required" }],
    });
  }
  return memo ?? null;
}

const mismatch = (message: string, path: string): Refusal =>
  new Refusal("NETWORK_MISMATCH", { message, details: [{ path, issue: "is another network's" }] });
