import type { Step } from "./effects.ts";
import type { OrderedEvent } from "./events.ts";
import type { Ordered } from "./state.ts";

type MethodsEvent = Extract<OrderedEvent, { type: `method${string}` }>;

/** Other ways to pay for the same order, after its card was refused. */
export function reduceMethods(stage: Ordered, event: MethodsEvent): Step<Ordered> {
  const { methods } = stage;
  const { orderId } = stage.order;
  const isBusy = methods?.status === "requested" || methods?.status === "sent";
  switch (event.type) {
    case "methodsRequested":
      if (isBusy) return [stage];
      return [
        { ...stage, methods: { status: "requested", offers: [] } },
        { kind: "offerMethods", orderId },
      ];
    case "methodsDue":
      // The offers stay until newer ones arrive.
      if (methods?.status !== "open" || methods.offers !== event.offers) return [stage];
      return [stage, { kind: "offerMethods", orderId }];
    case "methodsArrived":
      // After a choice or another attempt nobody waits for them.
      if (!methods || methods.status === "sent") return [stage];
      return [{ ...stage, methods: { status: "open", offers: event.offers } }];
    case "methodChosen":
      if (methods?.status !== "open") return [stage];
      return [
        { ...stage, methods: { ...methods, status: "sent" } },
        { kind: "changeMethod", orderId, quoteId: event.quoteId },
      ];
    case "methodsFailed":
    case "methodChangeFailed": {
      const isChange = event.type === "methodChangeFailed";
      if (!methods || isChange !== (methods.status === "sent")) return [stage];
      return [{ ...stage, methods: { status: event.fault, offers: [] } }];
    }
  }
}
