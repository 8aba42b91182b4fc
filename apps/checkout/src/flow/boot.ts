import type { CheckoutSession } from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Answer, Problem } from "../api/client.ts";
import { chooseLocale } from "../copy/locale.ts";
import { chooseOperation, openChoosing } from "../machine/open.ts";
import type { FlowDeps } from "./deps.ts";
import { isSessionUsed, tokenFault } from "./refusals.ts";

const SLOW_AFTER_MS = 3_000;

/** Reads the session, then opens on its order, or on the first screen with the catalogue. */
export async function boot(deps: FlowDeps, options: CheckoutOptions): Promise<void> {
  const { store, api } = deps;
  const slow = setTimeout(() => store.dispatch({ type: "bootSlow" }), SLOW_AFTER_MS);
  try {
    const session = await api.readSession();
    if (!session.ok) return stop(deps, session.problem);
    const locale = chooseLocale(session.data.locale ?? options.locale);
    if (session.data.orderId !== null) {
      return await openOrder(deps, {
        session: session.data,
        orderId: session.data.orderId,
        locale,
      });
    }
    if (session.data.status === "expired") {
      return store.dispatch({ type: "sessionFoundUsed", session: session.data, locale });
    }
    await openCatalogue(deps, { session: session.data, options, locale });
  } finally {
    clearTimeout(slow);
  }
}

interface Opened {
  readonly session: CheckoutSession;
  readonly locale: string;
}

async function openOrder(
  deps: FlowDeps,
  { session, orderId, locale }: Opened & { readonly orderId: number },
): Promise<void> {
  const order = await deps.api.readOrder(orderId);
  if (order.ok) {
    deps.store.dispatch({
      type: "orderFound",
      session,
      locale,
      order: order.data,
      reopened: true,
    });
  } else if (order.problem.kind === "refused" && order.problem.status === 403) {
    deps.store.dispatch({ type: "sessionFoundUsed", session, locale });
  } else {
    stop(deps, order.problem);
  }
}

async function openCatalogue(
  deps: FlowDeps,
  opened: Opened & { readonly options: CheckoutOptions },
): Promise<void> {
  const { session, options } = opened;
  const operation = chooseOperation(session, options);
  if (!operation) return deps.store.dispatch({ type: "stopped", reason: "unsupported" });
  const query = { operationType: operation, countryCode: session.countryCode };
  const [currencies, methods] = await Promise.all([
    deps.api.listCurrencies(query),
    deps.api.listPaymentMethods(query),
  ]);
  const problem = firstProblem(currencies, methods);
  if (!currencies.ok || !methods.ok) return problem && stop(deps, problem);
  const choosing = openChoosing(
    { ...opened, operation },
    { currencies: currencies.data, methods: methods.data },
  );
  deps.store.dispatch(
    choosing ? { type: "booted", choosing } : { type: "stopped", reason: "unsupported" },
  );
}

function firstProblem(...answers: readonly Answer<unknown>[]): Problem | undefined {
  for (const answer of answers) if (!answer.ok) return answer.problem;
  return undefined;
}

function stop({ store }: FlowDeps, problem: Problem): void {
  if (isSessionUsed(problem)) return store.dispatch({ type: "stopped", reason: "session_used" });
  const reason = tokenFault(problem);
  if (reason) return store.dispatch({ type: "stopped", reason });
  const forbidden = problem.kind === "refused" && problem.status === 403;
  store.dispatch(
    forbidden ? { type: "stopped", reason: "token_invalid" } : { type: "bootUnreachable" },
  );
}
