import type { CurrencyItem, DeliveryMethodItem, PaymentMethodItem } from "@exchange/contract";
import { locksOf } from "./locks.ts";
import type { Choosing, LimitFault } from "./state.ts";
import { receivesCrypto } from "./steps.ts";

interface ForCurrencies {
  readonly currencyCodes?: readonly string[] | null | undefined;
}

/** Whether a payment or delivery method supports a currency. Without a list it supports all. */
export const takes = (method: ForCurrencies, currency: CurrencyItem): boolean =>
  !method.currencyCodes || method.currencyCodes.includes(currency.code);

export const methodsFor = ({ world, spend }: Pick<Choosing, "world" | "spend">) =>
  world.methods.filter((method) => takes(method, spend));

/** Whether the customer chooses how to pay. */
export const hasMethodChoice = (stage: Pick<Choosing, "world" | "spend">): boolean =>
  !locksOf(stage.world.session).method && methodsFor(stage).length > 1;

/** Returns the limit of the chosen method that the amount is outside of, if it is. */
export const limitFault = ({ quote }: Choosing): LimitFault | undefined =>
  quote.status === "failed" && quote.fault?.kind === "limit" ? quote.fault : undefined;

/** The delivery methods for the received currency, the cheapest first. */
export function deliveriesFor(
  stage: Pick<Choosing, "world" | "method" | "receive">,
): readonly DeliveryMethodItem[] {
  if (receivesCrypto(stage.world.operation)) return [];
  return deliveriesOf(stage.method, stage.receive, stage.world.session.environment);
}

export const deliveriesOf = (
  method: PaymentMethodItem,
  receive: CurrencyItem,
  environment: string,
): readonly DeliveryMethodItem[] =>
  (method.deliveryMethods ?? [])
    // In production a card number may only go to the provider's own fields, which this build lacks.
    .filter((delivery) => takes(delivery, receive) && !(isProd(environment) && isCard(delivery)))
    .toSorted((a, b) => feeOfHundred(a) - feeOfHundred(b));

const isProd = (environment: string): boolean => environment === "prod";
export const isCard = (delivery: DeliveryMethodItem): boolean => delivery.type === "card_push";

/** The fee on an amount of a hundred: precise enough to sort the methods. */
const feeOfHundred = ({ fee }: DeliveryMethodItem): number => fee.percent + fee.fixed;

/** Replaces the payment and delivery methods that do not support the two currencies. */
export function fitWays<
  Fitted extends Pick<Choosing, "world" | "spend" | "receive" | "method" | "delivery">,
>(stage: Fitted): Fitted {
  const methods = methodsFor(stage);
  const method = methods.find(({ id }) => id === stage.method.id) ?? methods[0] ?? stage.method;
  const deliveries = deliveriesFor({ ...stage, method });
  const delivery = deliveries.find(({ id }) => id === stage.delivery?.id) ?? deliveries[0];
  return { ...stage, method, delivery };
}
