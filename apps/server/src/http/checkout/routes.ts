import {
  type CheckoutQuoteRequest,
  type CheckoutSession,
  ENDPOINTS,
  jsonNumber,
  type Outgoing,
} from "@exchange/contract";
import { parseDecimal } from "@exchange/money";
import type { MerchantDefaults } from "../../domain/ports/merchant-directory.ts";
import type { Deps } from "../../flows/deps.ts";
import { orderableOperations } from "../../flows/payments/rails.ts";
import { tokenizeCard } from "../../flows/payments/tokenize-card.ts";
import { createQuote, priceAlternatives } from "../../flows/quotes/create.ts";
import { QUOTE_MEMBERS } from "../../flows/quotes/rule-refusal.ts";
import { Refusal } from "../../flows/refusal.ts";
import { requireTerms } from "../../flows/sessions/require-terms.ts";
import { type BrowserCaller, customerCountry, requireActiveSession } from "../auth/caller.ts";
import { presentAlternative, presentOutsideLimits, presentQuote } from "../quotes/present.ts";
import type { Register } from "../registrar.ts";
import { presentLock } from "../sessions/present.ts";
import { ok, toExact, toOperation, toOperationType, toUnixSeconds } from "../wire.ts";

/** Registers the popup's calls about its own session, and the prices of an exchange. */
export function registerCheckoutSession(register: Register, deps: Deps): void {
  register(ENDPOINTS.readCheckoutSession, async ({ caller }) => ok(presentSession(deps, caller)));
  register(ENDPOINTS.createCheckoutQuote, async ({ caller, body }) => {
    const command = toQuoteCommand(deps, caller, body);
    const quote = presentQuote(await createQuote(deps, command), deps.catalogue());
    if (!body.alternatives) return ok(quote);
    const { quotes, outsideLimits } = priceAlternatives(deps, command, body.alternatives);
    return ok({
      ...quote,
      alternatives: quotes.map(presentAlternative),
      outsideLimits: outsideLimits.map(presentOutsideLimits),
    });
  });
}

/**
 * Registers the call that stores the debit card for a customer's payout before the order is placed.
 */
export function registerCards(register: Register, deps: Deps): void {
  register(ENDPOINTS.tokenizeCard, async ({ body }) => {
    const { token, brand, lastFour } = await tokenizeCard(deps, body.card);
    return ok({ cardToken: token, brand, lastFour });
  });
}

function toQuoteCommand(deps: Deps, caller: BrowserCaller, body: CheckoutQuoteRequest) {
  const { baseAmount, targetAmount } = body;
  if ((baseAmount === undefined) === (targetAmount === undefined)) {
    throw new Refusal("INVALID_INPUT", {
      message: "Give either baseAmount or targetAmount, and not both.",
      details: [{ path: "body.baseAmount", issue: "or targetAmount must be given, not both" }],
    });
  }
  requireActiveSession(caller);
  const wanted = {
    operation: toOperation(body.operationType),
    spendCurrencyId: body.baseCurrencyId,
    receiveCurrencyId: body.targetCurrencyId,
    paymentMethodId: body.paymentMethodId,
    ...(baseAmount === undefined ? {} : { spendAmount: toExact(baseAmount) }),
  };
  requireTerms(deps.catalogue(), caller.session.lock, wanted);
  return {
    ...wanted,
    merchantId: caller.merchant.id,
    sessionId: caller.session.sessionId,
    countryCode: customerCountry(caller),
    ...(targetAmount === undefined ? {} : { receiveAmount: toExact(targetAmount) }),
    ...(body.deliveryMethodId === undefined ? {} : { deliveryMethodId: body.deliveryMethodId }),
    members: {
      ...QUOTE_MEMBERS,
      amount: baseAmount === undefined ? "targetAmount" : QUOTE_MEMBERS.amount,
    },
  };
}

function presentDefaults({ baseAmount, targetAmount, ...currencies }: MerchantDefaults) {
  return {
    ...currencies,
    ...(baseAmount !== undefined && { baseAmount: toWireAmount(baseAmount) }),
    ...(targetAmount !== undefined && { targetAmount: toWireAmount(targetAmount) }),
  };
}

/** The amount was checked when it was set. */
function toWireAmount(text: string) {
  const amount = parseDecimal(text);
  if (!amount) throw new Error(`the default amount ${text} is not a decimal number`);
  return jsonNumber(amount);
}

/** The popup fills forms with these. A token's holder reads no more of the customer. */
const formValuesOf = (
  { firstName, lastName, countryCode, email }: BrowserCaller["session"]["customer"],
  { offersMail }: Pick<Deps, "offersMail">,
): CheckoutSession["customer"] => ({
  ...(firstName !== undefined && { firstName }),
  ...(lastName !== undefined && { lastName }),
  ...(countryCode !== undefined && { countryCode }),
  ...(offersMail && email !== undefined && { email }),
});

/**
 * The page shows nothing that the merchant stated about the customer, because its reader may be another person.
 */
const withoutPerson = (merchant: BrowserCaller["merchant"]) => ({
  scope: [],
  countryCode: merchant.settings.countryCode,
  lock: {},
  customer: {},
  returnUrl: null,
});

function presentSession(deps: Deps, caller: BrowserCaller): Outgoing<CheckoutSession> {
  const { session, merchant } = caller;
  const { settings } = merchant;
  const operations = orderableOperations(deps).map(toOperationType);
  return {
    sessionId: session.sessionId,
    status: session.status,
    environment: deps.environment,
    expiresAt: toUnixSeconds(session.tokenExpiresAt),
    scope: session.scope,
    merchant: {
      name: merchant.name,
      logoUrl: settings.logoUrl ?? null,
      primaryColor: settings.primaryColor ?? null,
    },
    operationTypes: session.lock.operation ? [toOperationType(session.lock.operation)] : operations,
    countryCode: customerCountry(caller),
    defaults: presentDefaults(settings.defaults),
    lock: presentLock(session.lock),
    customer: formValuesOf(session.customer, deps),
    offersMail: deps.offersMail === true,
    returnUrl: session.returnUrl,
    locale: session.locale,
    orderId: session.orderId === null ? null : Number(session.orderId),
    unservedCountries: deps
      .catalogue()
      .countries.filter(({ enabled }) => !enabled)
      .map(({ code }) => code),
    slippagePercent: jsonNumber({ units: BigInt(deps.slippageBasisPoints), scale: 2 }),
    testCards: deps.environment === "prod" ? [] : (deps.cardProcessor?.tokens?.testCards ?? []),
    ...(deps.operator !== undefined && { operator: deps.operator }),
    ...(caller.tokenJti === null && withoutPerson(merchant)),
  };
}
