import { EMPTY_PAYOUT_CARD } from "./drafts.ts";
import type { ChoosingEvent } from "./events.ts";
import type { Choosing } from "./state.ts";

type PayoutEvent = Extract<
  ChoosingEvent,
  {
    type:
      | "payoutTyped"
      | "payoutCardTyped"
      | "payoutCardKept"
      | "payoutCardRefused"
      | "payoutCardDropped";
  }
>;

/** Where fiat goes. */
export function reducePayout(stage: Choosing, event: PayoutEvent): Choosing {
  switch (event.type) {
    case "payoutTyped":
      return {
        ...stage,
        payout: { ...stage.payout, [event.name]: event.value },
        typed: true,
        advancing: false,
      };
    case "payoutCardTyped":
      return {
        ...stage,
        payoutCard: { ...stage.payoutCard, ...event.fields, fault: undefined },
        typed: true,
        advancing: false,
      };
    case "payoutCardKept":
      // The number is the processor's now; here only its token is left.
      return { ...stage, payoutCard: { ...EMPTY_PAYOUT_CARD, kept: event.card } };
    case "payoutCardRefused":
      return {
        ...stage,
        payoutCard: { ...stage.payoutCard, fault: event.fault },
        advancing: false,
      };
    case "payoutCardDropped":
      return { ...stage, payoutCard: EMPTY_PAYOUT_CARD, advancing: false };
  }
}
