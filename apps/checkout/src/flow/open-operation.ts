import type { OperationType } from "@exchange/contract";
import type { ApiResult } from "../api/client.ts";
import type { OperationOpening } from "../machine/effects.ts";
import { type Catalogue, openChoosing } from "../machine/open.ts";
import { choosingIn, type FlowDeps } from "./deps.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { tokenFault } from "./refusals.ts";

/** Opens other operations. A catalogue that was read once is not read again. */
export function createOperationOpener(
  deps: FlowDeps,
): (opening: OperationOpening) => Promise<void> {
  const catalogues = new Map<OperationType, Catalogue>();
  return async (opening) => {
    const { operation, session } = opening;
    const cached = catalogues.get(operation);
    const answer: ApiResult<Catalogue> = cached
      ? { ok: true, data: cached }
      : await loadCatalogue(deps.api, session, operation);
    // The customer may have picked another operation in the meantime.
    if (choosingIn(deps)?.switching?.operation !== operation) return;
    if (!answer.ok) return fail(deps, operation, answer);
    catalogues.set(operation, answer.data);
    const choosing = openChoosing({ ...opening, options: {} }, answer.data);
    deps.store.dispatch(
      choosing
        ? { area: "operation", type: "operationOpened", choosing }
        : { area: "operation", type: "operationFailed", operation, status: "unavailable" },
    );
  };
}

function fail(
  { store }: FlowDeps,
  operation: OperationType,
  { problem }: Extract<ApiResult<Catalogue>, { ok: false }>,
): void {
  const reason = tokenFault(problem);
  if (reason) return store.dispatch({ area: "checkout", type: "stopped", reason });
  const status = "unreachable";
  store.dispatch({ area: "operation", type: "operationFailed", operation, status });
}
