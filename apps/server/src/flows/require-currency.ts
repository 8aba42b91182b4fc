import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { Currency } from "../domain/catalogue/currency.ts";
import { Refusal } from "./refusal.ts";

type Currencies = Pick<Catalogue, "currencies">;
type Coin = Currency & { readonly networkCode: string };

/** Returns the currency with a reference, such as usdt-tron or eur. Refuses NOT_FOUND. */
export function requireCurrency(catalogue: Currencies, reference: string): Currency {
  const currency = find(catalogue, reference);
  if (currency) return currency;
  throw notFound("currency", reference);
}

/** Returns the coin on one network with a reference, such as usdt-tron. Refuses NOT_FOUND, also for a fiat currency. */
export function requireCoin(catalogue: Currencies, reference: string): Coin {
  const currency = find(catalogue, reference);
  if (currency && isCoin(currency)) return currency;
  throw notFound("coin", reference);
}

const find = ({ currencies }: Currencies, reference: string): Currency | undefined =>
  currencies.find((currency) => currency.reference === reference);

const isCoin = (currency: Currency): currency is Coin => currency.networkCode !== null;

const notFound = (noun: "currency" | "coin", reference: string): Refusal =>
  new Refusal("NOT_FOUND", {
    message: `There is no ${noun} "${reference}": name its reference, such as btc or usdt-tron.`,
  });
