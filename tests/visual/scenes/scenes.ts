import { BUYING } from "./buying.ts";
import { CHOOSING_STATES } from "./choosing-states.ts";
import { OPERATED } from "./operator.ts";
import { ORDERED, ORDERED_STATES, STATUSES } from "./ordered.ts";
import { OTHER_OPERATIONS } from "./other-operations.ts";
import type { Scene } from "./scene.ts";
import { BOOTING, STOPPED } from "./stopped.ts";

/** The scenes that show every screen, most with some of its states. */
export const SCREENS: readonly Scene[] = [
  ...BUYING,
  ...OTHER_OPERATIONS,
  ...ORDERED,
  ...OPERATED,
  ...BOOTING,
];

/** The scenes of the other states of these screens. */
export const STATES: readonly Scene[] = [
  ...CHOOSING_STATES,
  ...ORDERED_STATES,
  ...STATUSES,
  ...STOPPED,
];
