import type { CardTokenRequest, WalletLookupQuery, WalletLookupResult } from "@exchange/contract";
import type { ApiResult } from "../api/client.ts";
import type { CheckoutEvent } from "../machine/events.ts";
import type { AddressUse } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";
import { isLasting, tokenFault } from "./refusals.ts";

const TYPING_PAUSE_MS = 400;

interface AddressChecks {
  /** Reports that a check is due after a pause in typing. Ends a check that is under way. */
  schedule(): void;
  lookUp(query: WalletLookupQuery): void;
}

/** Checks addresses with the service, each use separately. */
export const createAddressChecks = (
  deps: FlowDeps,
): Readonly<Record<AddressUse, AddressChecks>> => ({
  wallet: createChecks(deps, "wallet"),
  refund: createChecks(deps, "refund"),
});

/** One timer and one request at a time. */
function createChecks({ api, store }: FlowDeps, use: AddressUse): AddressChecks {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let controller = new AbortController();
  const stop = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const lookUp = async (query: WalletLookupQuery, signal: AbortSignal): Promise<void> => {
    const answer = await api.lookUpWallet(query, signal);
    if (!signal.aborted) store.dispatch(outcomeOf(answer, query, use));
  };
  return {
    schedule() {
      stop();
      timer = setTimeout(
        () => store.dispatch({ area: "address", type: "addressCheckDue", use }),
        TYPING_PAUSE_MS,
      );
    },
    lookUp(query) {
      stop();
      controller = new AbortController();
      void lookUp(query, controller.signal);
    },
  };
}

function outcomeOf(
  answer: ApiResult<WalletLookupResult>,
  query: WalletLookupQuery,
  use: AddressUse,
): CheckoutEvent {
  const address = { area: "address", use } as const;
  if (answer.ok) return resultOf(answer.data, query, use);
  const { problem } = answer;
  const reason = tokenFault(problem);
  if (reason) return { area: "checkout", type: "stopped", reason };
  if (problem.kind !== "refused" || problem.status >= 429) {
    return { ...address, type: "walletRefused", fault: { kind: "unreachable" } };
  }
  const isOther = problem.code === "NETWORK_MISMATCH";
  return {
    ...address,
    type: "walletRefused",
    fault: isOther ? { kind: "other_network", networks: [] } : { kind: "not_an_address" },
  };
}

function resultOf(
  result: WalletLookupResult,
  query: WalletLookupQuery,
  use: AddressUse,
): CheckoutEvent {
  const address = { area: "address", use } as const;
  if (result.success) return { ...address, type: "walletAccepted" };
  const networks = result.availableNetworks;
  if (result.requiresNetworkCode && !query.networkCode) {
    return { ...address, type: "networkNeeded", networks };
  }
  const [network] = result.belongsTo ?? [];
  if (network) {
    const starts = result.addressStarts ?? [];
    return { ...address, type: "walletRefused", fault: { kind: "other_chain", network, starts } };
  }
  const isOther = networks.length > 0;
  return {
    ...address,
    type: "walletRefused",
    fault: isOther ? { kind: "other_network", networks } : { kind: "not_an_address" },
  };
}

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
  const fault = isLasting(problem) ? "refused" : "unreachable";
  store.dispatch({ area: "payout", type: "payoutCardRefused", fault });
}
