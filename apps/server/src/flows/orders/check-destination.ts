import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { Order } from "../../domain/orders/order.ts";
import { isAddressOn } from "../../domain/wallets/check-address.ts";
import { destinationFault } from "../../domain/wallets/destination-fault.ts";
import { holdsMemo, isMemo } from "../../domain/wallets/memo.ts";
import { isDepositAddress } from "../../storage/chains/addresses.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** The address of coins to pay out, as the customer entered it. */
export interface RequestedDestination {
  readonly walletAddress?: string;
  readonly networkCode?: string;
  readonly memo?: string;
  /** The customer's word that the address needs no memo. */
  readonly withoutMemo?: true;
}

/** The address to return coins to, as the customer entered it. */
export interface RefundAddress {
  readonly refundAddress: string;
  readonly refundMemo?: string;
  readonly refundWithoutMemo?: true;
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
  const at = { address: "walletAddress", memo: "memo", withoutMemo: "withoutMemo" } as const;
  const on = { catalogue, network, currency, field: at.address };
  const walletAddress = checkAddress(on, request.walletAddress);
  const memo = checkMemo({ network, at, address: walletAddress }, request);
  return { walletAddress, networkCode: network.code, memo };
}

/**
 * Refuses one of our deposit addresses for a coin that is only paid out. Nothing collects such a coin there, so it would be
 * lost.
 */
export async function refuseDepositAddress(
  { database }: Pick<Deps, "database">,
  currency: Currency,
  {
    walletAddress: address,
    networkCode,
    memo,
  }: { readonly [Key in keyof Destination]: Destination[Key] | null },
): Promise<void> {
  if (!currency.isPaidOutOnly || address === null || networkCode === null) return;
  if (!(await isDepositAddress(database, { networkCode, address, memo }))) return;
  throw new Refusal("INVALID_WALLET_ADDRESS", {
    message: `This is an address to which an order was paid. ${currency.code} sent there is lost. Enter an address of your own wallet.`,
    details: [{ field: "walletAddress", issue: "is an address of this service" }],
  });
}

/**
 * Refuses one of our deposit addresses for coins that are returned. They would be a new payment there, and be returned
 * again without end, each time for a network fee.
 */
export async function refuseOwnRefundAddress(
  { database }: Pick<Deps, "database">,
  { networkCode }: Pick<Currency, "networkCode">,
  to: Pick<Order, "refundAddress" | "refundMemo"> | undefined,
): Promise<void> {
  if (networkCode === null || to === undefined || to.refundAddress === null) return;
  const { refundAddress: address, refundMemo: memo } = to;
  if (!(await isDepositAddress(database, { networkCode, address, memo }))) return;
  throw new Refusal("INVALID_WALLET_ADDRESS", {
    message:
      "This is an address to which an order is paid. Coins that are returned there never reach you. Enter an address of your own wallet.",
    details: [{ field: "refundAddress", issue: "is an address of this service" }],
  });
}

/**
 * Checks the refund address of coins that the customer sends, if there is one. Refuses as
 * `checkDestination` does.
 */
export function checkRefundAddress(
  catalogue: Catalogue,
  currency: Currency,
  request: { readonly [Key in keyof RefundAddress]?: RefundAddress[Key] | undefined },
): { readonly refundAddress: string; readonly refundMemo: string | null } | undefined {
  const { refundMemo: memo, refundWithoutMemo: withoutMemo } = request;
  if (request.refundAddress === undefined && memo === undefined) return undefined;
  const network = networkOf(catalogue, currency);
  const at = {
    address: "refundAddress",
    memo: "refundMemo",
    withoutMemo: "refundWithoutMemo",
  } as const;
  const on = { catalogue, network, currency, field: at.address };
  const refundAddress = checkAddress(on, request.refundAddress);
  const refundMemo = checkMemo({ network, at, address: refundAddress }, { memo, withoutMemo });
  return { refundAddress, refundMemo };
}

/** Returns whether it is the refund address that the order has. */
export const isRefundAddressOf = (
  order: Pick<Order, "refundAddress" | "refundMemo">,
  other: Pick<Order, "refundAddress" | "refundMemo">,
): boolean => order.refundAddress === other.refundAddress && order.refundMemo === other.refundMemo;

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
  readonly withoutMemo: string;
}

interface Expected {
  readonly catalogue: Catalogue;
  readonly network: Network;
  readonly currency: Currency;
  /** The member of the request that holds the address. */
  readonly field: string;
}

function checkAddress(expected: Expected, text: string | undefined): string {
  const { catalogue, network, field } = expected;
  const address = text?.trim();
  if (!address) {
    throw new Refusal("INVALID_INPUT", {
      message: `${field} is required: it is the address that receives the coins.`,
      details: [{ field, issue: "is required" }],
    });
  }
  const fault = destinationFault(catalogue, expected, address);
  switch (fault) {
    case undefined:
      return address;
    case "not_an_address":
      throw addressRefusal(expected, address);
    case "no_key":
      throw noWallet(field, `Nobody has a key of this ${network.name} address.`);
    case "token_contract":
      throw noWallet(field, "This is the address of a token's contract.");
    case "token_account":
      throw new Refusal("INVALID_WALLET_ADDRESS", {
        message: `This ${network.name} address has no private key. It is probably a token account. Enter the address of the wallet that owns it.`,
        details: [{ field, issue: NOT_A_WALLET }],
      });
  }
}

const NOT_A_WALLET = "is not the address of a wallet";

const noWallet = (field: string, why: string): Refusal =>
  new Refusal("INVALID_WALLET_ADDRESS", {
    message: `${why} Coins sent there are lost. Enter an address of your own wallet.`,
    details: [{ field, issue: NOT_A_WALLET }],
  });

/** An address of another network has a message of its own, because that mistake loses money. */
function addressRefusal({ catalogue, network, field }: Expected, address: string): Refusal {
  const other = catalogue.networks.find(
    (candidate) =>
      candidate.addressFormat !== network.addressFormat && isAddressOn(candidate, address),
  );
  if (other) {
    return mismatch(`This address belongs to ${other.name}, not to ${network.name}.`, field);
  }
  return new Refusal("INVALID_WALLET_ADDRESS", {
    message: `This is not a valid ${network.name} address. Check for missing or wrong characters.`,
    details: [{ field, issue: "has a wrong form or checksum" }],
  });
}

/**
 * Coins sent to a shared address without its memo are lost. So where a network has memos, an
 * address without one needs the customer's word that it needs none.
 */
function checkMemo(
  on: { readonly network: Network; readonly at: Members; readonly address: string },
  said: { readonly memo?: string | undefined; readonly withoutMemo?: true | undefined },
): string | null {
  const { network, at, address } = on;
  const { memo, withoutMemo } = said;
  if (memo !== undefined && withoutMemo) {
    throw wrongMemo(at.memo, `Send either ${at.memo} or ${at.withoutMemo}, and not both.`);
  }
  if (memo !== undefined) {
    if (network.memo === "none") {
      throw wrongMemo(at.memo, `${network.name} does not use memos. Leave out ${at.memo}.`);
    }
    if (holdsMemo(network.addressFormat, address)) {
      throw wrongMemo(at.memo, `This address already contains its memo. Leave out ${at.memo}.`);
    }
    if (isMemo(network.addressFormat, memo)) return memo;
    throw wrongMemo(at.memo, `This is not a memo of ${network.name}. Use digits only.`);
  }
  if (network.memo === "none" || holdsMemo(network.addressFormat, address)) return null;
  if (network.memo === "required") {
    throw wrongMemo(at.memo, `${network.name} requires a memo with the address.`);
  }
  if (withoutMemo) return null;
  throw wrongMemo(
    at.memo,
    `Many ${network.name} addresses need a memo or tag. Send ${at.memo}, or ${at.withoutMemo}: true if this address needs none.`,
  );
}

const wrongMemo = (field: string, message: string): Refusal =>
  new Refusal("INVALID_INPUT", { message, details: [{ field, issue: message }] });

const mismatch = (message: string, field: string): Refusal =>
  new Refusal("NETWORK_MISMATCH", {
    message,
    details: [{ field, issue: "belongs to another network" }],
  });
