import { type Decimal, formatDecimal, normalize } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { OPERATION_SIDES, type Operation } from "../../domain/catalogue/operation.ts";
import { spendFaultOf } from "../../domain/rules/availability.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import { destinationFault } from "../../domain/wallets/destination-fault.ts";
import { lookUpWallet } from "../../domain/wallets/look-up-wallet.ts";
import { holdsMemo, isMemo } from "../../domain/wallets/memo.ts";
import { Refusal } from "../refusal.ts";

/** The terms that a merchant asks to fix, in codes or references of any letter case. */
export interface TermsWish {
  readonly operation?: Operation | undefined;
  readonly spendCurrency?: string | undefined;
  readonly spendAmount?: Decimal | undefined;
  readonly receiveCurrency?: string | undefined;
  readonly paymentMethod?: string | undefined;
  readonly walletAddress?: string | undefined;
  readonly networkCode?: string | undefined;
  readonly memo?: string | undefined;
  readonly withoutMemo?: true | undefined;
}

/** Resolves the terms against the catalogue. Refuses terms that no order could meet, before a customer sees them. */
export function resolveSessionTerms(catalogue: Catalogue, wish: TermsWish): SessionTerms {
  const spend = findCurrency(catalogue, wish.spendCurrency, "baseCurrency");
  const network = findNetwork(catalogue, wish.networkCode);
  const receive = onNetwork(
    catalogue,
    findCurrency(catalogue, wish.receiveCurrency, "targetCurrency"),
    { code: network?.code, isReference: isReference(wish.receiveCurrency) },
  );
  refuseWrongSides(wish.operation, { spend, receive });
  refusePrecision(wish.spendAmount, spend);
  const address = wish.walletAddress?.trim();
  if (address !== undefined) {
    requireAddress(catalogue, address, { receive, networkCode: network?.code });
  }
  requireMemoOfAddress(catalogue, wish, receive);
  return withoutUndefined({
    operation: wish.operation,
    spendCurrency: spend?.reference,
    spendAmount: wish.spendAmount && formatDecimal(wish.spendAmount),
    receiveCurrency: receive?.reference,
    paymentMethod: findPaymentMethod(catalogue, wish),
    walletAddress: address,
    networkCode: network?.code,
    memo: wish.memo,
    withoutMemo: wish.withoutMemo,
  });
}

/** A memo belongs to an address, so it is fixed with one, on a network that has memos. */
function requireMemoOfAddress(
  catalogue: Catalogue,
  wish: TermsWish,
  receive: Currency | undefined,
): void {
  const { walletAddress, networkCode, memo, withoutMemo } = wish;
  const member = memo === undefined ? "withoutMemo" : "memo";
  if (memo === undefined && !withoutMemo) return;
  if (memo !== undefined && withoutMemo) {
    throw refuse("INVALID_INPUT", "memo", "Lock either memo or withoutMemo, not both.");
  }
  if (walletAddress === undefined) {
    throw refuse("INVALID_INPUT", member, `${member} needs lock.walletAddress beside it.`);
  }
  const code = receive?.networkCode ?? networkCode;
  const network = code === undefined ? undefined : catalogue.network(code);
  if (network && (memo === undefined ? network.memo === "required" : network.memo === "none")) {
    const needs = memo === undefined ? "requires a memo" : "does not use memos";
    throw refuse("INVALID_INPUT", member, `${network.name} ${needs}.`);
  }
  if (!network || memo === undefined) return;
  if (!isMemo(network.addressFormat, memo) || holdsMemo(network.addressFormat, walletAddress)) {
    throw refuse("INVALID_INPUT", member, `This is not a memo for this ${network.name} address.`);
  }
}

/** References of coins on shared networks carry the network's name. Codes never do. */
const isReference = (text: string | undefined): boolean => text?.includes("-") ?? false;

function findCurrency(
  catalogue: Catalogue,
  text: string | undefined,
  member: string,
): Currency | undefined {
  if (text === undefined) return undefined;
  const currency = catalogue.currencyByCodeOrReference(text);
  if (currency?.enabled) return currency;
  throw refuse("CURRENCY_NOT_FOUND", member, `There is no currency "${text}".`);
}

function findNetwork(catalogue: Catalogue, code: string | undefined) {
  if (code === undefined) return undefined;
  const network = catalogue.network(code);
  if (network?.enabled) return network;
  throw refuse("INVALID_INPUT", "networkCode", `There is no network "${code}".`);
}

/** A bare code with a network means the coin on that network. */
function onNetwork(
  catalogue: Catalogue,
  currency: Currency | undefined,
  network: { readonly code: string | undefined; readonly isReference: boolean },
): Currency | undefined {
  if (!currency || network.code === undefined || currency.networkCode === network.code) {
    return currency;
  }
  const found = network.isReference
    ? undefined
    : catalogue
        .currenciesByCode(currency.code)
        .find((item) => item.enabled && item.networkCode === network.code);
  if (found) return found;
  throw refuse(
    "NETWORK_MISMATCH",
    "networkCode",
    `${currency.code} is not on the network "${network.code}".`,
  );
}

function refuseWrongSides(
  operation: Operation | undefined,
  pair: { readonly spend: Currency | undefined; readonly receive: Currency | undefined },
): void {
  const sides = operation && OPERATION_SIDES[operation];
  const { spend, receive } = pair;
  const fault = spend && spendFaultOf(spend);
  if (fault !== undefined) throw refuse("UNSUPPORTED_PAIR", "baseCurrency", fault);
  if (sides && spend && spend.kind !== sides.spend) throw wrongSide(spend, "baseCurrency");
  if (sides && receive && receive.kind !== sides.receive)
    throw wrongSide(receive, "targetCurrency");
  if (spend && receive && spend.id === receive.id) throw wrongSide(receive, "targetCurrency");
}

const wrongSide = (currency: Currency, member: string): Refusal =>
  refuse("UNSUPPORTED_PAIR", member, `${currency.code} cannot be on this side of this operation.`);

function refusePrecision(amount: Decimal | undefined, spend: Currency | undefined): void {
  if (!amount || !spend || normalize(amount).scale <= spend.publishedDecimals) return;
  throw refuse(
    "AMOUNT_PRECISION",
    "baseAmount",
    `${spend.code} has at most ${spend.publishedDecimals} decimals.`,
  );
}

function findPaymentMethod(catalogue: Catalogue, wish: TermsWish): string | undefined {
  if (wish.paymentMethod === undefined) return undefined;
  const method = catalogue.paymentMethodByReference(wish.paymentMethod);
  if (!method?.enabled || method.operations.size === 0) {
    throw refuse(
      "PAYMENT_METHOD_NOT_FOUND",
      "paymentMethod",
      `There is no payment method "${wish.paymentMethod}".`,
    );
  }
  if (wish.operation === undefined || method.operations.has(wish.operation))
    return method.reference;
  throw refuse(
    "PAYMENT_METHOD_UNAVAILABLE",
    "paymentMethod",
    `${method.name} cannot pay for this operation.`,
  );
}

/** With a coin, the address must be one of that coin. Without, it may be one of any coin. */
function requireAddress(
  catalogue: Catalogue,
  walletAddress: string,
  on: { readonly receive: Currency | undefined; readonly networkCode: string | undefined },
): void {
  const { receive } = on;
  if (receive?.kind === "fiat") {
    throw refuse("INVALID_INPUT", "walletAddress", `${receive.code} is not sent to a wallet.`);
  }
  if (!receive) {
    const networks = catalogue.networks.filter(
      ({ code }) => on.networkCode === undefined || code === on.networkCode,
    );
    const coin = { contractAddress: null };
    const mayHaveCoins = (network: Network): boolean =>
      destinationFault(catalogue, { network, currency: coin }, walletAddress) === undefined;
    if (networks.some(mayHaveCoins)) return;
    throw invalidAddress();
  }
  const answer = lookUpWallet(catalogue, {
    walletAddress,
    currency: receive.reference,
    networkCode: receive.networkCode ?? undefined,
  });
  if (answer.kind === "valid") return;
  if (answer.kind === "invalid" && answer.belongsTo.length === 0) throw invalidAddress();
  throw refuse(
    "NETWORK_MISMATCH",
    "walletAddress",
    `This address does not belong to ${receive.code} on ${receive.networkCode}.`,
  );
}

const invalidAddress = (): Refusal =>
  refuse(
    "INVALID_WALLET_ADDRESS",
    "walletAddress",
    "This is not a valid wallet address. Check for missing or wrong characters.",
  );

function refuse(code: Refusal["code"], member: string, message: string): Refusal {
  return new Refusal(code, {
    message,
    details: [{ field: `lock.${member}`, issue: message }],
  });
}

function withoutUndefined(
  lock: { readonly [Key in keyof SessionTerms]: SessionTerms[Key] | undefined },
) {
  return Object.fromEntries(
    Object.entries(lock).filter(([, value]) => value !== undefined),
  ) as SessionTerms;
}
