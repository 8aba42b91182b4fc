import type { CheckoutSession } from "@exchange/contract";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Exit } from "../flow/leave.ts";
import type { Area, AreaEvent, CheckoutEvent } from "../machine/events.ts";

/** The actions of a screen. */
export interface Actions {
  readonly dispatch: (event: CheckoutEvent) => void;
  readonly exit: Exit;
  /** Has a screen reader read a sentence out. */
  readonly announce: (text: string) => void;
  /** True when the customer can go back to a shop's page. */
  readonly hosted: boolean;
  /** The operator that the page names, for screens without a session. */
  readonly operator: CheckoutSession["operator"];
}

const ActionsContext = createContext<Actions | undefined>(undefined);

export const ActionsProvider = ActionsContext.Provider;

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error("A screen needs an ActionsProvider around it.");
  return actions;
}

/** Dispatches events of one area. */
export function useDispatch<Name extends Area>(area: Name): (event: AreaEvent<Name>) => void {
  const { dispatch } = useActions();
  return (event) => dispatch({ ...event, area } as CheckoutEvent);
}
