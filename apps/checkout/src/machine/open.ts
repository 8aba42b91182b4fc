import type {
  CheckoutSession,
  CurrencyItem,
  ExchangeCurrencies,
  OperationType,
  PaymentMethodItem,
} from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import { decimalOf, formatPlain } from "../amounts/format.ts";
import {
  cardDraftFor,
  EMPTY_PAYOUT_CARD,
  payoutDraftFor,
  walletDraftFor,
  walletOf,
} from "./drafts.ts";
import { type AmountDraft, type CheckoutContext, type Choosing, NO_QUOTE } from "./state.ts";
import { kindOfMethod, receivesCrypto, sendsCrypto, stepsOf } from "./steps.ts";
import { deliveriesOf, fitWays, takes } from "./ways.ts";

/** Every operation, in the order of the operation choice. */
const OPERATIONS: readonly OperationType[] = ["B", "S", "CC", "FF"];

export interface Catalogue {
  readonly currencies: ExchangeCurrencies;
  /** With their delivery methods. */
  readonly methods: readonly PaymentMethodItem[];
}

export interface Opening {
  readonly session: CheckoutSession;
  readonly options: CheckoutOptions;
  readonly operation: OperationType;
  readonly locale: string;
  /** References of the currencies to begin with, unless a lock or an option names others. */
  readonly presets?: readonly (string | null)[];
}

/** The operations of the service, reduced to the locked one if the merchant's server locked one. */
export function offeredOperations({ lock, operationTypes }: CheckoutSession) {
  const wanted = lock.operationType ? [lock.operationType] : OPERATIONS;
  return wanted.filter((type) => operationTypes.includes(type));
}

/** Prefers the locked operation, then the page's option, then the first on offer. */
export function chooseOperation(
  session: CheckoutSession,
  options: CheckoutOptions,
): OperationType | undefined {
  const offered = offeredOperations(session);
  return offered.find((type) => type === options.operationType) ?? offered[0];
}

/** Returns the first screen, or undefined if the catalogue offers nothing for this operation. */
export function openChoosing(opening: Opening, catalogue: Catalogue): Choosing | undefined {
  const { session, options, operation, locale } = opening;
  const ignored: string[] = [];
  if (options.operationType && options.operationType !== operation) {
    ignored.push(options.operationType);
  }
  const usable = usableMethods(session, catalogue.methods);
  // Coins are paid with coins, so a named payment method does not apply.
  const lock = sendsCrypto(operation) ? undefined : session.lock.paymentMethod;
  const option = sendsCrypto(operation) ? undefined : options.paymentMethod;
  const method = pick(usable, { lock, option, ignored });
  if (!method) return undefined;
  // No other method may take the place of a locked one, so no currency is offered that it does not take.
  const methods = lock === undefined ? usable : [method];
  const sides = sidesOf(opening, catalogue, methods);
  const pair = pickPair(opening, sides, ignored);
  if (!pair) return undefined;
  const world = {
    session,
    operation,
    offered: offeredOperations(session),
    locale,
    methods,
    ignored,
  };
  const choosing = fitWays({
    ...firstScreen(opening, { ...world, ...sides }),
    ...pair,
    method,
    amount: firstAmount(opening, pair),
  });
  const deliverable = receivesCrypto(operation) || choosing.delivery !== undefined;
  const screen = stepsOf(choosing)[0] ?? choosing.screen;
  return takes(choosing.method, pair.spend) && deliverable ? { ...choosing, screen } : undefined;
}

type Chosen = "spend" | "receive" | "method" | "amount";

function firstScreen(
  { session, options, operation }: Opening,
  world: CheckoutContext,
): Omit<Choosing, Chosen> {
  return {
    kind: "choosing",
    world,
    screen: "amount",
    picking: "spend",
    quote: NO_QUOTE,
    delivery: undefined,
    wallet: receivesCrypto(operation)
      ? walletOf(session, options.walletAddress)
      : walletDraftFor(""),
    refund: walletDraftFor(""),
    payout: payoutDraftFor(session, operation),
    payoutCard: EMPTY_PAYOUT_CARD,
    card: cardDraftFor(session),
    switching: undefined,
    submission: "none",
    priceReplaced: false,
    continuePending: false,
    edited: false,
    fault: undefined,
  };
}

/**
 * The payment methods this build supports. In production a card number may only go to the provider's
 * own fields, which this build does not have.
 */
const usableMethods = (
  session: CheckoutSession,
  methods: readonly PaymentMethodItem[],
): readonly PaymentMethodItem[] =>
  methods.filter((method) => {
    const kind = kindOfMethod(method);
    if (kind === "card") return session.environment !== "prod";
    return kind === "bank_transfer" || kind === "crypto";
  });

type Sides = Pick<CheckoutContext, "spendCurrencies" | "receiveCurrencies">;

/** The currencies on each side that at least one method supports. Coins are received on the locked network. */
function sidesOf(
  { session, operation }: Opening,
  { currencies }: Catalogue,
  methods: readonly PaymentMethodItem[],
): Sides {
  const { cryptoCurrencies, fiatCurrencies } = currencies;
  const spend = sendsCrypto(operation) ? cryptoCurrencies : fiatCurrencies;
  const receive = receivesCrypto(operation) ? cryptoCurrencies : fiatCurrencies;
  const { networkCode } = session.lock;
  const isReceivable = (currency: CurrencyItem): boolean =>
    receivesCrypto(operation)
      ? networkCode === undefined || isNamed(currency.networkCode, networkCode)
      : methods.some((method) => deliveriesOf(method, currency, session.environment).length > 0);
  return {
    spendCurrencies: spend.filter(
      (currency) => !currency.paidOutOnly && methods.some((method) => takes(method, currency)),
    ),
    receiveCurrencies: receive.filter(isReceivable),
  };
}

/** The two currencies of the exchange, which always differ. */
function pickPair(
  { session, options, presets = [] }: Opening,
  { spendCurrencies, receiveCurrencies }: Sides,
  ignored: string[],
): Pick<Choosing, "spend" | "receive"> | undefined {
  const { lock, defaults } = session;
  const othersOf = (spent: CurrencyItem) => receiveCurrencies.filter(({ id }) => id !== spent.id);
  // The only coin of a locked network is received, so it is not spent.
  const spendable = spendCurrencies.filter((currency) => othersOf(currency).length > 0);
  const spend = pick(spendable, {
    lock: lock.baseCurrency,
    option: options.baseCurrency,
    presets: [...presets, defaults.baseCurrency, defaults.targetCurrency],
    ignored,
  });
  if (!spend) return undefined;
  const receive = pick(othersOf(spend), {
    lock: lock.targetCurrency,
    option: options.targetCurrency,
    presets: [...presets.toReversed(), defaults.targetCurrency, defaults.baseCurrency],
    ignored,
  });
  return receive && { spend, receive };
}

function firstAmount(
  { session, options, locale }: Opening,
  pair: { readonly spend: CurrencyItem; readonly receive: CurrencyItem },
): AmountDraft {
  const isNamed = options.baseAmount !== undefined || options.targetAmount !== undefined;
  const { baseAmount, targetAmount } = isNamed ? options : defaultAmounts(session, pair);
  const spent = session.lock.baseAmount ?? baseAmount;
  if (spent !== undefined || targetAmount === undefined) {
    const decimals = pair.spend.decimals;
    const text = spent === undefined ? "" : formatPlain(decimalOf(spent), decimals, locale);
    return { side: "spend", text };
  }
  const text = formatPlain(decimalOf(targetAmount), pair.receive.decimals, locale);
  return { side: "receive", text };
}

/** The merchant's default amounts. Each applies to its own default currency only. */
function defaultAmounts({ defaults }: CheckoutSession, pair: Pick<Choosing, "spend" | "receive">) {
  const { baseCurrency, targetCurrency, baseAmount, targetAmount } = defaults;
  return {
    baseAmount: pair.spend.reference === baseCurrency ? baseAmount : undefined,
    targetAmount: pair.receive.reference === targetCurrency ? targetAmount : undefined,
  };
}

/** An item that a merchant may name by its reference or its code, in any letter case. */
interface Named {
  readonly reference: string | null;
  readonly code?: string;
}

interface Wish {
  /** The merchant's server locked this item: no other is acceptable. */
  readonly lock: string | undefined;
  readonly option: string | undefined;
  /** Names to try in turn if the page named none. */
  readonly presets?: readonly (string | null)[];
  /** Collects the page's options that name no item. */
  readonly ignored: string[];
}

/** Returns the item that the lock, the option or a preset names, else the first. */
function pick<Item extends Named>(items: readonly Item[], wish: Wish): Item | undefined {
  if (wish.lock !== undefined) return findNamed(items, wish.lock);
  const wanted = wish.option === undefined ? undefined : findNamed(items, wish.option);
  if (wish.option !== undefined && !wanted) wish.ignored.push(wish.option);
  if (wanted) return wanted;
  for (const name of wish.presets ?? []) {
    const preset = name === null ? undefined : findNamed(items, name);
    if (preset) return preset;
  }
  return items[0];
}

/** A reference is exact. A code that several networks share names the first, the coin's default. */
const findNamed = <Item extends Named>(items: readonly Item[], name: string): Item | undefined =>
  items.find((item) => isNamed(item.reference, name)) ??
  items.find((item) => isNamed(item.code ?? null, name));

const isNamed = (value: string | null, name: string): boolean =>
  value?.toLowerCase() === name.toLowerCase();
