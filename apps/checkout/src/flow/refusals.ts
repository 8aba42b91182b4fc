import type { Problem } from "../api/client.ts";
import type { QuoteFault, StopReason } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";

/** The reason to stop when the token is no longer good, or undefined. */
export function tokenFault(problem: Problem): StopReason | undefined {
  if (problem.kind !== "refused" || problem.status !== 401) return undefined;
  return problem.code === "TOKEN_EXPIRED" ? "token_expired" : "token_invalid";
}

/** Whether the service says that the session's one order was already placed. */
export const isSessionUsed = (problem: Problem): boolean =>
  problem.kind === "refused" &&
  (problem.code === "SESSION_EXPIRED" || problem.code === "SESSION_ALREADY_USED");

/** Shows that the session was used, with its order when it may be read. */
export async function showUsedSession({ store, api }: FlowDeps, locale: string): Promise<void> {
  const session = await api.readSession();
  store.dispatch(
    session.ok
      ? { type: "sessionFoundUsed", session: session.data, locale }
      : { type: "stopped", reason: "session_used" },
  );
}

/** Why a quote was refused, in the terms of the amount screen. */
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

type Refused = Extract<Problem, { kind: "refused" }>;

function limitFault(problem: Refused, bound: "min" | "max"): QuoteFault {
  for (const detail of problem.details) {
    const amount = Number(detail[bound] ?? Number.NaN);
    const { currencyCode } = detail;
    if (Number.isFinite(amount) && typeof currencyCode === "string") {
      return { kind: "limit", bound, limit: { amount, currencyCode } };
    }
  }
  return { kind: "unavailable" };
}
