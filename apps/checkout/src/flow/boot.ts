import type { CheckoutSession } from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Problem } from "../api/client.ts";
import { speakFor } from "../copy/choice.ts";
import { chooseOperation, offeredOperations, openChoosing } from "../machine/open.ts";
import type { FlowDeps } from "./deps.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { isSessionUsed, tokenFault } from "./refusals.ts";

const SLOW_AFTER_MS = 3_000;

/** Reads the session, then opens on its order, or on the first screen with the catalogue. */
export async function boot(deps: FlowDeps, options: CheckoutOptions): Promise<void> {
  const { store, api } = deps;
  const slow = setTimeout(() => store.dispatch({ type: "bootSlow" }), SLOW_AFTER_MS);
  try {
    const session = await api.readSession();
    if (!session.ok) return stop(deps, session.problem);
    const asked = session.data.locale ?? options.locale;
    // Its texts are fetched beside everything else.
    const speaking = speakFor(session.data.sessionId, asked);
    if (session.data.orderId !== null) {
      return await openOrder(deps, {
        session: session.data,
        orderId: session.data.orderId,
        speaking,
      });
    }
    if (session.data.status === "expired") {
      const locale = await speaking;
      return store.dispatch({ type: "sessionFoundUsed", session: session.data, locale });
    }
    await openCatalogue(deps, { session: session.data, options, speaking });
  } finally {
    clearTimeout(slow);
  }
}

interface Opened {
  readonly session: CheckoutSession;
  /** The locale that is spoken once its texts are here. */
  readonly speaking: Promise<string>;
}

async function openOrder(
  deps: FlowDeps,
  { session, orderId, speaking }: Opened & { readonly orderId: number },
): Promise<void> {
  const [order, locale] = await Promise.all([deps.api.readOrder(orderId), speaking]);
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

/** The operation that was asked for, or else the first of the others that works here. */
async function openCatalogue(
  deps: FlowDeps,
  opened: Opened & { readonly options: CheckoutOptions },
): Promise<void> {
  const { session, options, speaking } = opened;
  const first = chooseOperation(session, options);
  const others = offeredOperations(session).filter((operation) => operation !== first);
  for (const operation of first ? [first, ...others] : []) {
    const catalogue = await loadCatalogue(deps.api, session, operation);
    if (!catalogue.ok) return stop(deps, catalogue.problem);
    const locale = await speaking;
    const choosing = openChoosing({ session, options, operation, locale }, catalogue.data);
    if (choosing) return deps.store.dispatch({ type: "booted", choosing });
  }
  deps.store.dispatch({ type: "stopped", reason: "unsupported" });
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
