import type { WalletLookupQuery, WalletLookupResult } from "@exchange/contract";
import type { Answer } from "../api/client.ts";
import type { CheckoutEvent } from "../machine/events.ts";
import type { Choosing } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";
import { tokenFault } from "./refusals.ts";

const TYPING_PAUSE_MS = 400;

/** Asks the service about the wallet address, after a pause in typing or at once on Continue. */
export function followWallet(deps: FlowDeps): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();

  const check = async (stage: Choosing): Promise<void> => {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    deps.store.dispatch({ type: "walletChecking" });
    const query = lookupFor(stage);
    const answer = await deps.api.lookUpWallet(query, signal);
    if (signal.aborted) return;
    deps.store.dispatch(outcomeOf(answer, query));
  };

  deps.store.subscribe(({ next, previous }) => {
    const stage = next.stage;
    if (stage.kind !== "choosing" || stage.screen !== "wallet" || !isReady(stage)) return;
    const before = previous.stage.kind === "choosing" ? previous.stage : undefined;
    const continued = stage.advancing && !before?.advancing;
    const changed = stage.wallet !== before?.wallet || stage.screen !== before.screen;
    if (!changed && !continued) return;
    clearTimeout(timer);
    request.abort();
    if (continued) void check(stage);
    else timer = setTimeout(() => checkAgain(), TYPING_PAUSE_MS);
  });

  const checkAgain = (): void => {
    const { stage } = deps.store.read();
    if (stage.kind === "choosing" && isReady(stage)) void check(stage);
  };
}

/** An address is there, nobody has checked it, and its network is known if one is needed. */
function isReady({ wallet }: Choosing): boolean {
  if (wallet.address === "") return false;
  if (wallet.networks.length > 0 && !wallet.networkCode) return false;
  return wallet.check === "unchecked";
}

/** The network the coins travel on: the coin's own, or the one chosen where it has several. */
export const networkOf = (stage: Choosing): string | undefined =>
  stage.wallet.networkCode ?? stage.receive.networkCode ?? undefined;

function lookupFor(stage: Choosing): WalletLookupQuery {
  const networkCode = networkOf(stage);
  const query = { walletAddress: stage.wallet.address, currencyCode: stage.receive.code };
  return networkCode ? { ...query, networkCode } : query;
}

/** What a lookup means for the checkout. */
export function outcomeOf(
  answer: Answer<WalletLookupResult>,
  query: WalletLookupQuery,
): CheckoutEvent {
  if (answer.ok) return outcomeOfResult(answer.data, query);
  const { problem } = answer;
  const reason = tokenFault(problem);
  if (reason) return { type: "stopped", reason };
  if (problem.kind !== "refused" || problem.status >= 429) {
    return { type: "walletRefused", fault: { kind: "unreachable" } };
  }
  // Without the scope to look wallets up, the order itself checks the address.
  if (problem.status === 403) return { type: "walletAccepted" };
  return {
    type: "walletRefused",
    fault:
      problem.code === "NETWORK_MISMATCH"
        ? { kind: "other_network", networks: [] }
        : { kind: "not_an_address" },
  };
}

function outcomeOfResult(result: WalletLookupResult, query: WalletLookupQuery): CheckoutEvent {
  if (result.success) return { type: "walletAccepted" };
  const networks = result.availableNetworks;
  if (result.requiresNetworkCode && !query.networkCode) return { type: "networkNeeded", networks };
  return {
    type: "walletRefused",
    fault: networks.length > 0 ? { kind: "other_network", networks } : { kind: "not_an_address" },
  };
}
