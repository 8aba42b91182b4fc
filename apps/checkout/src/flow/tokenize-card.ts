import type { CardTokenRequest } from "@exchange/contract";
import type { FlowDeps } from "./deps.ts";
import { tokenFault } from "./refusals.ts";

/** Sends the payout card to its processor, which answers with a token for it. */
export async function tokenizeCard(
  { api, store }: FlowDeps,
  request: CardTokenRequest,
): Promise<void> {
  const answer = await api.tokenizeCard(request);
  if (answer.ok) {
    const { number } = request.card;
    const token = answer.data;
    return store.dispatch({ area: "payout", type: "payoutCardTokenized", number, token });
  }
  const { problem } = answer;
  const reason = tokenFault(problem);
  if (reason) return store.dispatch({ area: "checkout", type: "stopped", reason });
  const isWrong = problem.kind === "refused" && problem.status < 429;
  const fault = isWrong ? "refused" : "unreachable";
  store.dispatch({ area: "payout", type: "payoutCardRefused", fault });
}
