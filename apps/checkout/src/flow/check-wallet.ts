import type { WalletLookupQuery, WalletLookupResult } from "@exchange/contract";
import type { Answer } from "../api/client.ts";
import type { CheckoutEvent } from "../machine/events.ts";
import type { AddressUse, Choosing } from "../machine/state.ts";
import { addressesOn, coinFor } from "../machine/steps.ts";
import type { FlowDeps } from "./deps.ts";
import { tokenFault } from "./refusals.ts";

const TYPING_PAUSE_MS = 400;

/** Asks the service about the addresses on the screen, each by itself. */
export function followWallet(deps: FlowDeps): void {
  followAddress(deps, "wallet");
  followAddress(deps, "refund");
}

/** Asks after a pause in typing, or at once on Continue. */
function followAddress(deps: FlowDeps, use: AddressUse): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();

  const check = async (stage: Choosing): Promise<void> => {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    deps.store.dispatch({ type: "walletChecking", use });
    const query = lookupFor(stage, use);
    const answer = await deps.api.lookUpWallet(query, signal);
    if (signal.aborted) return;
    deps.store.dispatch(outcomeOf(answer, query, use));
  };

  deps.store.subscribe(({ next, previous }) => {
    const stage = next.stage;
    if (stage.kind !== "choosing" || !isReady(stage, use)) return;
    const before = previous.stage.kind === "choosing" ? previous.stage : undefined;
    const continued = stage.advancing && !before?.advancing;
    const changed = stage[use] !== before?.[use] || stage.screen !== before.screen;
    if (!changed && !continued) return;
    clearTimeout(timer);
    request.abort();
    if (continued) void check(stage);
    else timer = setTimeout(() => checkAgain(), TYPING_PAUSE_MS);
  });

  const checkAgain = (): void => {
    const { stage } = deps.store.read();
    if (stage.kind === "choosing" && isReady(stage, use)) void check(stage);
  };
}

/** An address is asked for and there, nobody has checked it, and its network is known if needed. */
function isReady(stage: Choosing, use: AddressUse): boolean {
  const draft = stage[use];
  if (!addressesOn(stage).includes(use) || draft.address === "") return false;
  if (draft.networks.length > 0 && !draft.networkCode) return false;
  return draft.check === "unchecked";
}

/** The network the coins travel on: the coin's own, or the one chosen where it has several. */
export const networkOf = (stage: Choosing, use: AddressUse): string | undefined =>
  stage[use].networkCode ?? coinFor(stage, use).networkCode ?? undefined;

function lookupFor(stage: Choosing, use: AddressUse): WalletLookupQuery {
  const networkCode = networkOf(stage, use);
  const query = { walletAddress: stage[use].address, currencyCode: coinFor(stage, use).code };
  return networkCode ? { ...query, networkCode } : query;
}

/** What a lookup means for the checkout. */
export function outcomeOf(
  answer: Answer<WalletLookupResult>,
  query: WalletLookupQuery,
  use: AddressUse,
): CheckoutEvent {
  if (answer.ok) return outcomeOfResult(answer.data, query, use);
  const { problem } = answer;
  const reason = tokenFault(problem);
  if (reason) return { type: "stopped", reason };
  if (problem.kind !== "refused" || problem.status >= 429) {
    return { type: "walletRefused", use, fault: { kind: "unreachable" } };
  }
  // Without the scope to look wallets up, the order itself checks the address.
  if (problem.status === 403) return { type: "walletAccepted", use };
  const isOther = problem.code === "NETWORK_MISMATCH";
  return {
    type: "walletRefused",
    use,
    fault: isOther ? { kind: "other_network", networks: [] } : { kind: "not_an_address" },
  };
}

function outcomeOfResult(
  result: WalletLookupResult,
  query: WalletLookupQuery,
  use: AddressUse,
): CheckoutEvent {
  if (result.success) return { type: "walletAccepted", use };
  const networks = result.availableNetworks;
  if (result.requiresNetworkCode && !query.networkCode) {
    return { type: "networkNeeded", use, networks };
  }
  const isOther = networks.length > 0;
  return {
    type: "walletRefused",
    use,
    fault: isOther ? { kind: "other_network", networks } : { kind: "not_an_address" },
  };
}
