import { digitsOf } from "../card/brand.ts";
import { EMPTY_PAYOUT_CARD } from "./drafts.ts";
import type { Step } from "./effects.ts";
import type { PayoutEvent } from "./events.ts";
import { tokenRequestFor } from "./requests.ts";
import type { Choosing, PayoutCardDraft } from "./state.ts";

/** The account or card that receives fiat. */
export function reducePayout(stage: Choosing, event: PayoutEvent): Step<Choosing> {
  const { payout, payoutCard } = stage;
  switch (event.type) {
    case "payoutTyped": {
      const typed = { ...payout, [event.name]: event.value };
      return [{ ...stage, payout: typed, edited: true, continuePending: false }];
    }
    case "payoutCardTyped": {
      const typed = { ...payoutCard, ...event.fields, fault: undefined };
      return [{ ...stage, payoutCard: typed, edited: true, continuePending: false }];
    }
    case "payoutCardTokenized":
      // A number that was typed in the meantime belongs to another card.
      if (digitsOf(payoutCard.number) !== event.number) return [stage];
      // The processor has the number now. Only its token stays here.
      return [{ ...stage, payoutCard: { ...EMPTY_PAYOUT_CARD, token: event.token } }];
    case "payoutCardRefused":
      return [refuseCard(stage, event.fault)];
    case "payoutCardDropped":
      return [{ ...stage, payoutCard: EMPTY_PAYOUT_CARD, continuePending: false }];
  }
}

/** Sends the payout card to its processor. */
export function tokenizeCard(stage: Choosing): Step<Choosing> {
  const request = tokenRequestFor(stage);
  return request ? [stage, { kind: "tokenizeCard", request }] : [refuseCard(stage, "refused")];
}

const refuseCard = (stage: Choosing, fault: PayoutCardDraft["fault"]): Choosing => ({
  ...stage,
  payoutCard: { ...stage.payoutCard, fault },
  continuePending: false,
});
