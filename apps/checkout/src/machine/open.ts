import type {
  CheckoutSession,
  CurrencyItem,
  ExchangeCurrencies,
  OperationType,
  PaymentMethodItem,
} from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import { decimalOf, formatPlain } from "../amounts/format.ts";
import { cardDraftFor, walletDraftFor } from "./drafts.ts";
import { type AmountDraft, type Choosing, NO_QUOTE } from "./state.ts";

/** Operations this build has screens for. */
export const BUILT_OPERATIONS: readonly OperationType[] = ["B"];

export interface Catalogue {
  readonly currencies: ExchangeCurrencies;
  readonly methods: readonly PaymentMethodItem[];
}

export interface Opening {
  readonly session: CheckoutSession;
  readonly options: CheckoutOptions;
  readonly operation: OperationType;
  readonly locale: string;
}

/** What the merchant's server locked wins; then what the page asked for; then the first we can do. */
export function chooseOperation(
  session: CheckoutSession,
  options: CheckoutOptions,
): OperationType | undefined {
  const offered = BUILT_OPERATIONS.filter((type) => session.operationTypes.includes(type));
  const { operationType: locked } = session.lock;
  if (locked) return offered.find((type) => type === locked);
  return offered.find((type) => type === options.operationType) ?? offered[0];
}

/** The first screen, or undefined when nothing can be bought here. */
export function openChoosing(opening: Opening, catalogue: Catalogue): Choosing | undefined {
  const { session, options, operation, locale } = opening;
  const ignored: string[] = [];
  if (options.operationType && options.operationType !== operation) {
    ignored.push(options.operationType);
  }
  const methods = usableMethods(session, catalogue.methods);
  const { lock, defaults } = session;
  const method = pick(methods, {
    lock: lock.paymentMethod,
    option: options.paymentMethod,
    ignored,
  });
  if (!method) return undefined;
  const spendCurrencies = catalogue.currencies.fiatCurrencies.filter((currency) =>
    methods.some((candidate) => takes(candidate, currency)),
  );
  const receiveCurrencies = catalogue.currencies.cryptoCurrencies;
  const spend = pick(spendCurrencies, {
    lock: lock.baseCurrency,
    option: options.baseCurrency,
    preset: defaults.baseCurrency,
    ignored,
  });
  const receive = pick(onNetwork(receiveCurrencies, lock.networkCode), {
    lock: lock.targetCurrency,
    option: options.targetCurrency,
    preset: defaults.targetCurrency,
    ignored,
  });
  if (!spend || !receive) return undefined;
  return {
    kind: "choosing",
    world: { session, operation, locale, spendCurrencies, receiveCurrencies, methods, ignored },
    screen: "amount",
    picking: "spend",
    spend,
    receive,
    amount: firstAmount(opening, { spend, receive }),
    quote: NO_QUOTE,
    method: takes(method, spend) ? method : (methods.find((m) => takes(m, spend)) ?? method),
    wallet: walletDraftFor(lock.walletAddress ?? options.walletAddress ?? ""),
    card: cardDraftFor(session),
    placing: "idle",
    advancing: false,
    typed: false,
    fault: undefined,
  };
}

/**
 * Methods this build can take money with. In production a card number may only go to the provider's
 * own fields, which this build does not have, so there is none.
 */
const usableMethods = (
  session: CheckoutSession,
  methods: readonly PaymentMethodItem[],
): readonly PaymentMethodItem[] =>
  session.environment === "prod"
    ? []
    : methods.filter((method) => (method.type ?? method.reference) === "card");

export const takes = (method: PaymentMethodItem, currency: CurrencyItem): boolean =>
  !method.currencyCodes || method.currencyCodes.includes(currency.code);

function onNetwork(
  currencies: readonly CurrencyItem[],
  networkCode: string | undefined,
): readonly CurrencyItem[] {
  if (!networkCode) return currencies;
  const matching = currencies.filter((currency) => isNamed(currency.networkCode, networkCode));
  return matching.length > 0 ? matching : currencies;
}

interface Named {
  readonly reference: string | null;
  readonly code?: string;
}

interface Wish {
  readonly lock: string | undefined;
  readonly option: string | undefined;
  readonly preset?: string;
  readonly ignored: string[];
}

/** The item that lock, option or preset names by code or reference; else the first. */
function pick<Item extends Named>(items: readonly Item[], wish: Wish): Item | undefined {
  if (wish.lock !== undefined) return findNamed(items, wish.lock);
  const wanted = wish.option === undefined ? undefined : findNamed(items, wish.option);
  if (wish.option !== undefined && !wanted) wish.ignored.push(wish.option);
  const preset = wish.preset === undefined ? undefined : findNamed(items, wish.preset);
  return wanted ?? preset ?? items[0];
}

/** A reference is exact; a code that several networks share means the first, the coin's default. */
const findNamed = <Item extends Named>(items: readonly Item[], name: string): Item | undefined =>
  items.find((item) => isNamed(item.reference, name)) ??
  items.find((item) => isNamed(item.code ?? null, name));

const isNamed = (value: string | null, name: string): boolean =>
  value?.toLowerCase() === name.toLowerCase();

function firstAmount(
  { session, options, locale }: Opening,
  pair: { readonly spend: CurrencyItem; readonly receive: CurrencyItem },
): AmountDraft {
  const spent = session.lock.baseAmount ?? options.baseAmount;
  if (spent !== undefined || options.targetAmount === undefined) {
    const decimals = pair.spend.decimals;
    const text = spent === undefined ? "" : formatPlain(decimalOf(spent), decimals, locale);
    return { side: "spend", text };
  }
  const text = formatPlain(decimalOf(options.targetAmount), pair.receive.decimals, locale);
  return { side: "receive", text };
}
