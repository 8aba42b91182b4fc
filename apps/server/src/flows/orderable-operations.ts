import type { Operation } from "../domain/catalogue/operation.ts";
import type { Deps } from "./deps.ts";

/** The operations an order can be placed for here: those whose rails are set up. */
export const orderableOperations = (
  deps: Pick<Deps, "cardProcessor" | "chain">,
): readonly Operation[] => (deps.cardProcessor && deps.chain ? ["buy"] : []);
