import type { Step } from "./effects.ts";
import { checkAddressesNow } from "./reduce-address.ts";
import { reducePrice } from "./reduce-price.ts";
import { catchUpQuote } from "./reduce-quote.ts";
import type { Choosing, Ordered } from "./state.ts";
import { addressesOn } from "./steps.ts";

/** Makes up for what a lost connection or a hidden page prevented. A notice about the connection ends when it is back. */
export function catchUp(stage: Choosing, type: "visible" | "online"): Step<Choosing> {
  if (type === "visible") return catchUpQuote(stage);
  const { switching, payoutCard } = stage;
  const isUnreached = addressesOn(stage).some((use) => stage[use].fault?.kind === "unreachable");
  const [quoted, ...effects] = catchUpQuote({
    ...stage,
    switching: unlessUnreachable(switching?.status) && switching,
    payoutCard: { ...payoutCard, fault: unlessUnreachable(payoutCard.fault) },
  });
  if (!isUnreached) return [quoted, ...effects];
  const [checking, ...checks] = checkAddressesNow(quoted);
  return [checking, ...effects, ...checks];
}

/** The same for an order. The customer may try again whatever did not arrive, and a new price is requested again. */
export function reconnect(stage: Ordered): Step<Ordered> {
  const { methods, simulation, mail, refund, cancellation, price } = stage;
  const back: Ordered = {
    ...stage,
    methods: unlessUnreachable(methods?.status) && methods,
    simulation: unlessUnreachable(simulation) ?? "none",
    mail: { ...mail, status: unlessUnreachable(mail.status) ?? "none" },
    refund: { ...refund, fault: unlessUnreachable(refund.fault) },
    cancellation: unlessUnreachable(cancellation) ?? "none",
  };
  if (price?.status !== "failed") return [back];
  return reducePrice(back, { type: "offerDue", offer: undefined });
}

const unlessUnreachable = <Status extends string | undefined>(
  status: Status,
): Exclude<Status, "unreachable"> | undefined =>
  status === "unreachable" ? undefined : (status as Exclude<Status, "unreachable">);
