import { stepBack } from "../machine/back.ts";
import type { Stage } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";

/** Returns the action of the back button, which the first step does not have. */
export function useBack(stage: Stage): (() => void) | undefined {
  const { dispatch } = useActions();
  const event = stepBack(stage);
  return event && (() => dispatch(event));
}
