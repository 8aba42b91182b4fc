import { parseDecimal } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import { Refusal } from "../refusal.ts";

/** An exchange in the words of a person: references or codes in place of ids. */
export interface NamedExchange {
  readonly merchantId: string;
  readonly operation: Operation;
  readonly spend: string;
  readonly receive: string;
  readonly method: string;
  readonly delivery?: string | undefined;
  readonly countryCode?: string | undefined;
  readonly amount: string;
  readonly side: "spend" | "receive";
}

/** Finds the items of a named exchange. Refuses NOT_FOUND, and INVALID_INPUT for the amount. */
export function findExchange(catalogue: Catalogue, named: NamedExchange): ExchangeWish {
  const { merchantId, operation, delivery, countryCode, side } = named;
  const amount = parseDecimal(named.amount);
  if (!amount || amount.units <= 0n) {
    throw new Refusal("INVALID_INPUT", {
      message: `The amount "${named.amount}" is not an amount above zero. Write one such as 250.`,
      details: [{ field: "amount", issue: "must be above zero" }],
    });
  }
  const currency = (name: string) =>
    findId(name, "currency", (text) => catalogue.currencyByCodeOrReference(text));
  return {
    merchantId,
    operation,
    spendCurrencyId: currency(named.spend),
    receiveCurrencyId: currency(named.receive),
    paymentMethodId: findId(named.method, "payment method", (text) =>
      catalogue.paymentMethodByReference(text),
    ),
    deliveryMethodId:
      delivery === undefined
        ? undefined
        : findId(delivery, "delivery method", (text) => catalogue.deliveryMethodByReference(text)),
    countryCode,
    size: { side, amount },
  };
}

function findId(
  text: string,
  kind: string,
  find: (text: string) => { readonly id: number } | undefined,
): number {
  const item = find(text);
  if (item) return item.id;
  throw new Refusal("NOT_FOUND", { message: `The catalogue has no ${kind} "${text}".` });
}
