import { t } from "../copy/first.ts";
import type { Choosing } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { Notice } from "../ui/parts.tsx";
import { amountError } from "./amount-error.ts";

/** Why there is no price for the method that was chosen, where there is none. */
export function QuoteFault({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("quote");
  const error = amountError(stage, true);
  if (!error) return null;
  const passing =
    stage.quote.fault?.kind === "unreachable" || stage.quote.fault?.kind === "unavailable";
  return (
    <Notice tone="wrong">
      <p role="alert" id="quote-fault" tabIndex={-1}>
        {error}
      </p>
      {passing && (
        <button
          type="button"
          class="link link-target"
          onClick={() => dispatch({ type: "quoteRetryPressed" })}
        >
          {t("tryAgain")}
        </button>
      )}
    </Notice>
  );
}

/** Goes on, or back to the words that say why not. */
export const focusQuoteFault = (): void => document.getElementById("quote-fault")?.focus();
