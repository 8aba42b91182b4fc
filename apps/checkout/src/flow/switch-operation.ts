import type { OperationType } from "@exchange/contract";
import type { Answer } from "../api/client.ts";
import { type Catalogue, openChoosing } from "../machine/open.ts";
import type { Choosing } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { tokenFault } from "./refusals.ts";

/** Opens another operation when the customer picks it; what was read once is not read again. */
export function followOperation(deps: FlowDeps): void {
  const read = new Map<OperationType, Catalogue>();

  const open = async (stage: Choosing, operation: OperationType): Promise<void> => {
    const known = read.get(operation);
    const answer: Answer<Catalogue> = known
      ? { ok: true, data: known }
      : await loadCatalogue(deps.api, stage.world.session, operation);
    const { stage: now } = deps.store.read();
    const wanted = now.kind === "choosing" ? now.switching?.operation : undefined;
    if (wanted !== operation) return;
    if (!answer.ok) {
      const reason = tokenFault(answer.problem);
      if (reason) return deps.store.dispatch({ type: "stopped", reason });
      return deps.store.dispatch({ type: "operationFailed", status: "unreachable" });
    }
    read.set(operation, answer.data);
    const choosing = openOther(stage, operation, answer.data);
    deps.store.dispatch(
      choosing
        ? { type: "operationOpened", choosing }
        : { type: "operationFailed", status: "unavailable" },
    );
  };

  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "choosing" || stage.switching?.status !== "opening") return;
    const before = previous.stage.kind === "choosing" ? previous.stage.switching : undefined;
    if (before !== stage.switching) void open(stage, stage.switching.operation);
  });
}

/** The other operation's first screen, with the currencies the customer has just looked at. */
const openOther = (
  { world, spend, receive }: Choosing,
  operation: OperationType,
  catalogue: Catalogue,
): Choosing | undefined =>
  openChoosing(
    {
      session: world.session,
      options: {},
      operation,
      locale: world.locale,
      presets: [spend.reference, receive.reference],
    },
    catalogue,
  );
