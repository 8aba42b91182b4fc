import { type Decimal, formatDecimal, normalize } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { PaymentMethod } from "../../domain/catalogue/methods.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { Operation } from "../../domain/catalogue/operation.ts";
import { isOffered, spendFaultOf } from "../../domain/rules/availability.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import { requireAddress, requireMemoOfAddress } from "./locked-address.ts";
import { type LockedItems, possibleOperations, refuseTerm } from "./possible-operations.ts";

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

/** The terms of a session, with the items of the catalogue that they fix. */
export interface ResolvedTerms {
  readonly terms: SessionTerms;
  readonly items: LockedItems;
  /** The operations that the terms leave possible, at least one. */
  readonly operations: readonly Operation[];
}

/** Resolves the terms against the catalogue. Refuses terms that contradict each other, before a customer sees them. */
export function resolveSessionTerms(catalogue: Catalogue, wish: TermsWish): ResolvedTerms {
  const spend = findCurrency(catalogue, wish.spendCurrency, "baseCurrency");
  const network = findNetwork(catalogue, wish.networkCode);
  const receive = onNetwork(
    catalogue,
    findCurrency(catalogue, wish.receiveCurrency, "targetCurrency"),
    { network, isReference: isReference(wish.receiveCurrency) },
  );
  const paymentMethod = findPaymentMethod(catalogue, wish.paymentMethod);
  const address = wish.walletAddress?.trim();
  const { operation } = wish;
  const items = { operation, spend, receive, paymentMethod };
  refuseSpend({ spend, receive });
  const operations = possibleOperations(catalogue, items);
  refusePrecision(wish.spendAmount, spend);
  if (address !== undefined) requireAddress(catalogue, address, { receive, network });
  requireMemoOfAddress(catalogue, wish, receive);
  const terms = withoutUndefined({
    operation,
    spendCurrency: spend?.reference,
    spendAmount: wish.spendAmount && formatDecimal(wish.spendAmount),
    receiveCurrency: receive?.reference,
    paymentMethod: paymentMethod?.reference,
    walletAddress: address,
    networkCode: network?.code,
    memo: wish.memo,
    withoutMemo: wish.withoutMemo,
  });
  return { terms, items, operations };
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
  if (currency && isOffered(catalogue, currency)) return currency;
  throw refuseTerm(
    "CURRENCY_NOT_FOUND",
    member,
    `There is no currency "${text}". Use a code or reference that GET /v1/exchange/currencies lists.`,
  );
}

function findNetwork(catalogue: Catalogue, code: string | undefined) {
  if (code === undefined) return undefined;
  const network = catalogue.network(code);
  if (network?.enabled) return network;
  throw refuseTerm(
    "INVALID_INPUT",
    "networkCode",
    `There is no network "${code}". Use one of: ${networkCodes(catalogue)}.`,
  );
}

const networkCodes = (catalogue: Catalogue): string =>
  catalogue.networks
    .filter(({ enabled }) => enabled)
    .map(({ code }) => code)
    .join(", ");

/** A bare code with a network means the coin on that network. */
function onNetwork(
  catalogue: Catalogue,
  currency: Currency | undefined,
  on: { readonly network: Network | undefined; readonly isReference: boolean },
): Currency | undefined {
  const { network } = on;
  if (!currency || !network || currency.networkCode === network.code) return currency;
  const items = on.isReference
    ? [currency]
    : catalogue.currenciesByCode(currency.code).filter((item) => isOffered(catalogue, item));
  const found = items.find((item) => item.networkCode === network.code);
  if (found) return found;
  const codes = items.flatMap(({ networkCode }) => networkCode ?? []);
  const accepted = codes.length > 0 ? `Use ${codes.join(", ")}, or leave` : "Leave";
  throw refuseTerm(
    "NETWORK_MISMATCH",
    "networkCode",
    `lock.networkCode contradicts lock.targetCurrency: ${currency.reference} is not on the network "${network.code}". ${accepted} lock.networkCode out.`,
  );
}

function refuseSpend(pair: {
  readonly spend: Currency | undefined;
  readonly receive: Currency | undefined;
}): void {
  const { spend, receive } = pair;
  const fault = spend && spendFaultOf(spend);
  if (fault !== undefined) throw refuseTerm("UNSUPPORTED_PAIR", "baseCurrency", fault);
  if (!spend || spend.id !== receive?.id) return;
  throw refuseTerm(
    "UNSUPPORTED_PAIR",
    "targetCurrency",
    `lock.targetCurrency contradicts lock.baseCurrency: both are ${spend.reference}. Use two currencies, or leave one of them out.`,
  );
}

function refusePrecision(amount: Decimal | undefined, spend: Currency | undefined): void {
  if (!amount || !spend || normalize(amount).scale <= spend.publishedDecimals) return;
  throw refuseTerm(
    "AMOUNT_PRECISION",
    "baseAmount",
    `${spend.code} has at most ${spend.publishedDecimals} decimals.`,
  );
}

function findPaymentMethod(
  catalogue: Catalogue,
  reference: string | undefined,
): PaymentMethod | undefined {
  if (reference === undefined) return undefined;
  const method = catalogue.paymentMethodByReference(reference);
  if (method?.enabled && method.operations.size > 0) return method;
  throw refuseTerm(
    "PAYMENT_METHOD_NOT_FOUND",
    "paymentMethod",
    `There is no payment method "${reference}". Use a reference that GET /v1/payment-methods lists.`,
  );
}

function withoutUndefined(
  lock: { readonly [Key in keyof SessionTerms]: SessionTerms[Key] | undefined },
) {
  return Object.fromEntries(
    Object.entries(lock).filter(([, value]) => value !== undefined),
  ) as SessionTerms;
}
