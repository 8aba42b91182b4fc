import type { CheckoutSession } from "@exchange/contract";
import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Problem } from "../api/client.ts";
import { speakFor } from "../copy/choice.ts";
import { chooseOperation, offeredOperations, openChoosing } from "../machine/open.ts";
import type { Choosing, StopReason } from "../machine/state.ts";
import { isFixed } from "../machine/steps.ts";
import { type FlowDeps, pause } from "./deps.ts";
import { fetchLater } from "./later.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { isLasting, isSessionUsed, tokenFault } from "./refusals.ts";

const SLOW_AFTER_MS = 3_000;
const RETRY_AFTER_MS = 2_000;

/** Reads the session, then opens its order, or the first screen with the catalogue. */
export async function openCheckout(deps: FlowDeps, options: CheckoutOptions): Promise<void> {
  const { store, api } = deps;
  const slow = setTimeout(
    () => store.dispatch({ area: "checkout", type: "bootSlow" }),
    SLOW_AFTER_MS,
  );
  // The session may name another language. Until it is read, the page's own is likelier than the device's.
  if (options.locale) void speakFor(undefined, options.locale);
  try {
    const session = await api.readSession();
    if (!session.ok) return stop(deps, session.problem);
    const { data } = session;
    // The texts are fetched beside everything else.
    const speaking = speakFor(data.sessionId, data.locale ?? options.locale);
    if (data.orderId !== null) {
      return await openOrder(deps, { session: data, orderId: data.orderId, speaking });
    }
    if (data.status === "expired") {
      const used = { type: "sessionFoundUsed", session: data, locale: await speaking } as const;
      return store.dispatch({ area: "checkout", ...used });
    }
    await openCatalogue(deps, { session: data, options, speaking });
  } finally {
    clearTimeout(slow);
  }
}

interface Opened {
  readonly session: CheckoutSession;
  /** The locale of the texts, once they are loaded. */
  readonly speaking: Promise<string>;
}

async function openOrder(
  deps: FlowDeps,
  { session, orderId, speaking }: Opened & { readonly orderId: number },
): Promise<void> {
  const [order, locale] = await Promise.all([deps.api.readOrder(orderId), speaking]);
  if (order.ok) {
    const found = { session, locale, order: order.data, reopened: true };
    deps.store.dispatch({ area: "checkout", type: "orderFound", ...found });
  } else if (order.problem.kind === "refused" && order.problem.status === 403) {
    deps.store.dispatch({ area: "checkout", type: "sessionFoundUsed", session, locale });
  } else {
    stop(deps, order.problem);
  }
}

/**
 * Opens the requested operation. Without a request it is the first one that has the page's currencies, as
 * with locked ones, else the first one that the country supports.
 */
async function openCatalogue(
  deps: FlowDeps,
  opened: Opened & { readonly options: CheckoutOptions },
): Promise<void> {
  const { session, options, speaking } = opened;
  const offered = offeredOperations(session);
  // Its first screen is one of the later ones.
  if (isFixed({ session, offered })) void fetchLater().catch(() => undefined);
  const draft = await deps.readDraft(session);
  const first = draft?.operation ?? chooseOperation(session, options);
  const others = offered.filter((operation) => operation !== first);
  const isRequested = draft ?? options.operationType;
  let opening: Choosing | undefined;
  for (const operation of first ? [first, ...others] : []) {
    const catalogue = await loadCatalogue(deps.api, session, operation);
    if (!catalogue.ok) {
      if (opening) break;
      return stop(deps, catalogue.problem);
    }
    const locale = await speaking;
    const choosing = openChoosing({ session, options, operation, locale }, catalogue.data);
    const fits = choosing && (isRequested || hasCurrencies(choosing, options));
    opening = fits ? choosing : (opening ?? choosing);
    if (fits) break;
  }
  if (opening) {
    const choosing = draft?.applyTo(opening) ?? opening;
    return deps.store.dispatch({ area: "checkout", type: "booted", choosing });
  }
  deps.store.dispatch({ area: "checkout", type: "stopped", reason: "unsupported" });
}

/** Whether the operation has the currencies that the page named. */
const hasCurrencies = ({ world }: Choosing, { baseCurrency, targetCurrency }: CheckoutOptions) =>
  !world.ignored.some((name) => name === baseCurrency || name === targetCurrency);

function stop({ store }: FlowDeps, problem: Problem): void {
  const reason = stopReason(problem);
  store.dispatch(
    reason
      ? { area: "checkout", type: "stopped", reason }
      : { area: "checkout", type: "bootUnreachable" },
  );
}

function stopReason(problem: Problem): StopReason | undefined {
  if (isSessionUsed(problem)) return "session_used";
  const isForbidden = problem.kind === "refused" && problem.status === 403;
  return tokenFault(problem) ?? (isForbidden ? "token_invalid" : undefined);
}

/** Opens the order of a used session, as soon as it can be read. */
export async function openUsedOrder({ store, api }: FlowDeps, orderId: number): Promise<void> {
  for (;;) {
    const { stage } = store.read();
    if (stage.kind !== "used") return;
    const order = await api.readOrder(orderId);
    if (order.ok) {
      const { session, locale } = stage;
      const found = { session, locale, order: order.data, reopened: true };
      return store.dispatch({ area: "checkout", type: "orderFound", ...found });
    }
    const reason = tokenFault(order.problem);
    if (reason) return store.dispatch({ area: "checkout", type: "stopped", reason });
    if (isLasting(order.problem)) return;
    await pause(RETRY_AFTER_MS);
  }
}
