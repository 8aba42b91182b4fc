import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Exit } from "../flow/leave.ts";
import type { Area, AreaEvent, CheckoutEvent } from "../machine/events.ts";

/** What a screen may do besides showing state. */
export interface Actions {
  readonly dispatch: (event: CheckoutEvent) => void;
  readonly exit: Exit;
  /** Says a sentence to people who listen instead of look. */
  readonly announce: (text: string) => void;
  /** Whether a page is there to go back to. */
  readonly hosted: boolean;
}

const ActionsContext = createContext<Actions | undefined>(undefined);

export const ActionsProvider = ActionsContext.Provider;

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error("a screen is shown outside the checkout");
  return actions;
}

/** Dispatches events of one area. */
export function useDispatch<Name extends Area>(area: Name): (event: AreaEvent<Name>) => void {
  const { dispatch } = useActions();
  return (event) => dispatch({ ...event, area } as CheckoutEvent);
}
