import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Exit } from "../flow/leave.ts";
import type { CheckoutEvent } from "../machine/events.ts";

/** What a screen may do besides showing state. */
export interface Actions {
  readonly dispatch: (event: CheckoutEvent) => void;
  readonly exit: Exit;
  readonly refreshQuote: () => void;
  readonly retryBoot: () => void;
  /** Opens the order of a used session. */
  readonly seeOrder: (orderId: number) => void;
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
