import { compareDecimals, type Decimal, parseDecimal } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import { Refusal } from "../refusal.ts";

/** An exchange that is requested in a session. */
export interface WantedExchange {
  readonly operation: Operation;
  readonly spendCurrencyId: number;
  /** Absent when the amount to receive is given instead. */
  readonly spendAmount?: Decimal | undefined;
  readonly receiveCurrencyId: number;
  readonly paymentMethodId: number;
  /** The member of the request that names the whole exchange, if there is one. */
  readonly namedBy?: "quoteId";
}

/** Refuses INVALID_INPUT when the exchange contradicts the session's fixed terms. */
export function requireTerms(
  catalogue: Catalogue,
  terms: SessionTerms,
  wanted: WantedExchange,
): void {
  const { operation, spendCurrency, receiveCurrency, paymentMethod, spendAmount } = terms;
  if (operation !== undefined && operation !== wanted.operation) {
    throw contradiction(wanted.namedBy ?? "operationType", "the operation");
  }
  if (
    spendCurrency !== undefined &&
    spendCurrency !== reference(catalogue, wanted.spendCurrencyId)
  ) {
    throw contradiction(wanted.namedBy ?? "baseCurrencyId", "the currency to spend");
  }
  if (
    receiveCurrency !== undefined &&
    receiveCurrency !== reference(catalogue, wanted.receiveCurrencyId)
  ) {
    throw contradiction(wanted.namedBy ?? "targetCurrencyId", "the currency to receive");
  }
  const method = catalogue.paymentMethodById(wanted.paymentMethodId)?.reference;
  if (paymentMethod !== undefined && paymentMethod !== method) {
    throw contradiction(wanted.namedBy ?? "paymentMethodId", "the payment method");
  }
  if (spendAmount !== undefined && !isAmount(spendAmount, wanted.spendAmount)) {
    throw contradiction(wanted.namedBy ?? "baseAmount", `the amount to spend at ${spendAmount}`);
  }
}

const reference = (catalogue: Catalogue, currencyId: number): string | undefined =>
  catalogue.currencyById(currencyId)?.reference;

function isAmount(fixed: string, wanted: Decimal | undefined): boolean {
  const amount = parseDecimal(fixed);
  return amount !== undefined && wanted !== undefined && compareDecimals(amount, wanted) === 0;
}

const contradiction = (member: string, what: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The merchant fixed ${what} for this session.`,
    details: [{ field: member, issue: "differs from the session's locked value" }],
  });
