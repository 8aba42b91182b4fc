import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { Refusal } from "../refusal.ts";

/** The address of coins to pay out, as the customer entered it. */
export interface RequestedDestination {
  readonly walletAddress?: string;
  readonly networkCode?: string;
  readonly memo?: string;
}

/** The address to return coins to, as the customer entered it. */
export interface RefundAddress {
  readonly refundAddress: string;
  readonly refundMemo?: string;
}

/** The checked address of an order's coins. */
export interface Destination {
  readonly walletAddress: string;
  readonly networkCode: string;
  readonly memo: string | null;
}

/**
 * Checks the customer's destination against the network of the currency received, since a payout
 * cannot be undone. Refuses INVALID_INPUT, INVALID_WALLET_ADDRESS and NETWORK_MISMATCH.
 */
export function checkDestination(
  catalogue: Catalogue,
  currency: Currency,
  request: RequestedDestination,
): Destination {
  const network = networkOf(catalogue, currency);
  if (request.networkCode && request.networkCode.toLowerCase() !== network.code) {
    const message = `The quote is for ${currency.code} on ${network.name}.`;
    throw mismatch(message, "networkCode");
  }
  const at = { address: "walletAddress", memo: "memo" } as const;
  const walletAddress = checkAddressOn({ catalogue, network, at }, request.walletAddress);
  const memo = checkMemo({ network, at }, request.memo);
  return { walletAddress, networkCode: network.code, memo };
}

/**
 * Checks the refund address of coins that the customer sends, if there is one. Refuses as
 * `checkDestination` does.
 */
export function checkRefundAddress(
  catalogue: Catalogue,
  currency: Currency,
  request: Partial<RefundAddress>,
): { readonly refundAddress: string; readonly refundMemo: string | null } | undefined {
  if (request.refundAddress === undefined && request.refundMemo === undefined) return undefined;
  const network = networkOf(catalogue, currency);
  const at = { address: "refundAddress", memo: "refundMemo" } as const;
  const refundAddress = checkAddressOn({ catalogue, network, at }, request.refundAddress);
  return { refundAddress, refundMemo: checkMemo({ network, at }, request.refundMemo) };
}

/** Returns the network of a coin. Fiat has none, so a call for fiat is a fault of ours. */
export function networkOf(catalogue: Catalogue, currency: Currency): Network {
  const { networkCode } = currency;
  const network = networkCode === null ? undefined : catalogue.network(networkCode);
  if (!network) throw new Error(`${currency.reference} is not on a network`);
  return network;
}

/** The members of the request that hold an address and its memo. */
interface Members {
  readonly address: string;
  readonly memo: string;
}

function checkAddressOn(
  expected: {
    readonly catalogue: Catalogue;
    readonly network: Network;
    readonly at: Members;
  },
  text: string | undefined,
): string {
  const { catalogue, network, at } = expected;
  const address = text?.trim();
  const field = at.address;
  if (!address) {
    throw new Refusal("INVALID_INPUT", {
      message: `${at.address} is required: it is the address that receives the coins.`,
      details: [{ field, issue: "is required" }],
    });
  }
  if (checkAddress(network.addressFormat, address)) return address;
  throw addressRefusal({ catalogue, network, field }, address);
}

/** An address of another network has a message of its own, because that mistake loses money. */
function addressRefusal(
  expected: { readonly catalogue: Catalogue; readonly network: Network; readonly field: string },
  address: string,
): Refusal {
  const { catalogue, network, field } = expected;
  const other = catalogue.networks.find(
    (candidate) =>
      candidate.addressFormat !== network.addressFormat &&
      checkAddress(candidate.addressFormat, address),
  );
  if (other) {
    return mismatch(`This address belongs to ${other.name}, not to ${network.name}.`, field);
  }
  return new Refusal("INVALID_WALLET_ADDRESS", {
    message: `This is not a valid ${network.name} address. Check for missing or wrong characters.`,
    details: [{ field, issue: "has a wrong form or checksum" }],
  });
}

function checkMemo(
  { network, at }: { readonly network: Network; readonly at: Members },
  memo: string | undefined,
): string | null {
  const field = at.memo;
  if (network.memo === "none" && memo !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `${network.name} does not use memos. Leave out ${field}.`,
      details: [{ field, issue: "is not used on this network" }],
    });
  }
  if (network.memo === "required" && memo === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `${network.name} requires a memo with the address.`,
      details: [{ field, issue: "is required" }],
    });
  }
  return memo ?? null;
}

const mismatch = (message: string, field: string): Refusal =>
  new Refusal("NETWORK_MISMATCH", {
    message,
    details: [{ field, issue: "belongs to another network" }],
  });
