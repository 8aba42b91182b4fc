import type { Problem, Refusal } from "../api/client.ts";
import type { CallFault, QuoteFault, StopReason } from "../machine/state.ts";
import { choosingIn, type FlowDeps } from "./deps.ts";

/** The reason to stop if the token is no longer valid. */
export function tokenFault(problem: Problem): StopReason | undefined {
  if (problem.kind !== "refused" || problem.status !== 401) return undefined;
  return problem.code === "TOKEN_EXPIRED" ? "token_expired" : "token_invalid";
}

/** Whether the service refused the request itself, so that a repetition would be refused too. */
export const isLasting = (problem: Problem): boolean =>
  problem.kind === "refused" && problem.status < 429;

export const callFault = (problem: Problem): CallFault =>
  isLasting(problem) && !tokenFault(problem) ? "refused" : "unreachable";

/** Whether the service says that the session's one order was already placed. */
export const isSessionUsed = (problem: Problem): boolean =>
  problem.kind === "refused" &&
  (problem.code === "SESSION_EXPIRED" || problem.code === "SESSION_ALREADY_USED");

/**
 * Shows that the session was used, with its order if it may be read. Nothing is shown once the customer has placed an order:
 * it may be the one that used the session.
 */
export async function showUsedSession(deps: FlowDeps): Promise<void> {
  const session = await deps.api.readSession();
  const stage = choosingIn(deps);
  if (stage?.submission !== "none") return;
  const { locale } = stage.world;
  deps.store.dispatch(
    session.ok
      ? { area: "checkout", type: "sessionFoundUsed", session: session.data, locale }
      : { area: "checkout", type: "stopped", reason: "session_used" },
  );
}

/** The reason why a quote was refused, in the terms of the amount screen. */
export function quoteFault(problem: Problem): QuoteFault {
  if (problem.kind !== "refused") return { kind: "unreachable" };
  switch (problem.code) {
    case "AMOUNT_BELOW_MINIMUM":
      return limitFault(problem, "min");
    case "AMOUNT_ABOVE_MAXIMUM":
      return limitFault(problem, "max");
    case "AMOUNT_PRECISION":
      return { kind: "precision" };
    case "UNSUPPORTED_PAIR":
    case "CURRENCY_NOT_FOUND":
    case "PAYMENT_METHOD_UNAVAILABLE":
    case "PAYMENT_METHOD_NOT_FOUND":
    case "DELIVERY_METHOD_UNAVAILABLE":
      return { kind: "unsupported_pair" };
    default:
      return { kind: "unavailable" };
  }
}

function limitFault(problem: Refusal, bound: "min" | "max"): QuoteFault {
  for (const detail of problem.details) {
    const amount = Number(detail[bound] ?? Number.NaN);
    const { currencyCode } = detail;
    if (Number.isFinite(amount) && typeof currencyCode === "string") {
      const isOfFees = detail.boundBy === "fees";
      // A minimum above the maximum leaves no amount.
      if (isOfFees && Number(detail.min) > Number(detail.max)) return { kind: "fees" };
      return { kind: "limit", bound, limit: { amount, currencyCode }, isOfFees };
    }
  }
  return { kind: "unavailable" };
}
