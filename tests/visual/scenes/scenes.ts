import { BUYING } from "./buying.ts";
import { CHOOSING_STATES } from "./choosing-states.ts";
import { ORDERED, ORDERED_STATES } from "./ordered.ts";
import { OTHER_OPERATIONS } from "./other-operations.ts";
import type { Scene } from "./scene.ts";
import { STATUSES } from "./statuses.ts";
import { BOOTING, STOPPED } from "./stopped.ts";

/** Every screen is in one of these, most with some of its states. */
export const SCREENS: readonly Scene[] = [...BUYING, ...OTHER_OPERATIONS, ...ORDERED, ...BOOTING];

/** The other states of the same screens. */
export const STATES: readonly Scene[] = [
  ...CHOOSING_STATES,
  ...ORDERED_STATES,
  ...STATUSES,
  ...STOPPED,
];
