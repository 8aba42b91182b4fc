import type { CardTokenRequest } from "@exchange/contract";
import { digitsOf } from "../card/brand.ts";
import { readExpiry } from "../card/rules.ts";
import type { Choosing } from "../machine/state.ts";
import { isCard } from "../machine/ways.ts";
import type { FlowDeps } from "./deps.ts";
import { tokenFault } from "./refusals.ts";

/** Gives the card to be paid out to to its processor, on Continue, and keeps the token only. */
export function followPayoutCard(deps: FlowDeps): void {
  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "choosing" || !isWaiting(stage)) return;
    if (previous.stage.kind === "choosing" && previous.stage.advancing) return;
    void keep(deps, stage);
  });
}

const isWaiting = ({ screen, advancing, delivery, payoutCard }: Choosing): boolean =>
  screen === "payout" &&
  advancing &&
  delivery !== undefined &&
  isCard(delivery) &&
  payoutCard.kept === undefined;

async function keep({ api, store }: FlowDeps, stage: Choosing): Promise<void> {
  const request = cardFor(stage);
  if (!request) return store.dispatch({ type: "payoutCardRefused", fault: "refused" });
  const answer = await api.keepCard(request);
  if (answer.ok) {
    // Another number may have been typed meanwhile: then this token is of the wrong card.
    const { stage: now } = store.read();
    const same = now.kind === "choosing" && now.payoutCard.number === stage.payoutCard.number;
    return same ? store.dispatch({ type: "payoutCardKept", card: answer.data }) : undefined;
  }
  const { problem } = answer;
  const reason = tokenFault(problem);
  if (reason) return store.dispatch({ type: "stopped", reason });
  const wrong = problem.kind === "refused" && problem.status < 429;
  store.dispatch({ type: "payoutCardRefused", fault: wrong ? "refused" : "unreachable" });
}

function cardFor({ payout, payoutCard }: Choosing): CardTokenRequest | undefined {
  const expiry = readExpiry(payoutCard.expiry);
  if (!expiry) return undefined;
  return {
    card: {
      number: digitsOf(payoutCard.number),
      expiryMonth: expiry.month,
      expiryYear: expiry.year,
      cvv: payoutCard.code.trim(),
      holderName: (payout["accountHolder"] ?? "").trim(),
    },
  };
}
