import { AUDIT_DEFECTS } from "./audit.mjs";
import { CHAIN_DEFECTS } from "./chains.mjs";
import { EDGE_DEFECTS } from "./edges.mjs";
import { MONEY_DEFECTS } from "./money.mjs";
import { ORDER_DEFECTS } from "./orders.mjs";

/**
 * One-line defects, as data: `find` is in `file` exactly once and is replaced; `tests` must go red.
 * A defect whose text has changed is written again for the new code.
 */
export const DEFECTS = [
  ...MONEY_DEFECTS,
  ...ORDER_DEFECTS,
  ...EDGE_DEFECTS,
  ...CHAIN_DEFECTS,
  ...AUDIT_DEFECTS,
];
