import type { CurrencyItem, DeliveryMethodItem, PaymentMethodItem } from "@exchange/contract";
import type { Choosing } from "./state.ts";
import { receivesCrypto } from "./steps.ts";

interface ForCurrencies {
  readonly currencyCodes?: readonly string[] | null | undefined;
}

/** Whether a payment or delivery method handles a currency; without a list it handles all. */
export const takes = (method: ForCurrencies, currency: CurrencyItem): boolean =>
  !method.currencyCodes || method.currencyCodes.includes(currency.code);

export const methodsFor = ({ world, spend }: Pick<Choosing, "world" | "spend">) =>
  world.methods.filter((method) => takes(method, spend));

/** The ways a customer can be paid out what they receive, the cheapest first. */
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
    // A card number may only go to the provider's own fields in production, which are not here.
    .filter((delivery) => takes(delivery, receive) && !(isProd(environment) && isCard(delivery)))
    .toSorted((a, b) => feeOfHundred(a) - feeOfHundred(b));

const isProd = (environment: string): boolean => environment === "prod";
export const isCard = (delivery: DeliveryMethodItem): boolean => delivery.type === "card_push";

/** The fee on an amount of a hundred: enough to put the usual way before the dear one. */
const feeOfHundred = ({ fee }: DeliveryMethodItem): number => fee.percent + fee.fixed;

/** The same choices, with a method and a delivery that fit the two currencies. */
export function fitWays<
  Fitted extends Pick<Choosing, "world" | "spend" | "receive" | "method" | "delivery">,
>(stage: Fitted): Fitted {
  const methods = methodsFor(stage);
  const method = methods.find(({ id }) => id === stage.method.id) ?? methods[0] ?? stage.method;
  const deliveries = deliveriesFor({ ...stage, method });
  const delivery = deliveries.find(({ id }) => id === stage.delivery?.id) ?? deliveries[0];
  return { ...stage, method, delivery };
}
