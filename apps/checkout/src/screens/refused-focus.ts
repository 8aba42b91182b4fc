import { useLayoutEffect } from "preact/hooks";
import type { Choosing } from "../machine/state.ts";
import { addressesOn } from "../machine/steps.ts";

/** Moves the focus to an address that the service refused, unless the customer is typing elsewhere. */
export function useRefusedFocus(stage: Choosing): void {
  const refused = addressesOn(stage).find((use) => stage[use].check === "refused");
  useLayoutEffect(() => {
    const { activeElement, body } = document;
    const idle = activeElement === body || activeElement?.classList.contains("main-button");
    if (refused && idle) document.getElementById(`${refused}-address`)?.focus();
  }, [refused]);
}
