import type { ComponentChildren } from "preact";
import { named, t } from "../copy/later.ts";
import { isTransient } from "../machine/reduce-quote.ts";
import type { Choosing } from "../machine/state.ts";
import { progressOf } from "../machine/steps.ts";
import { hasMethodChoice, limitFault } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import type { MethodResult, NoResult } from "./alternatives.ts";
import { amountError, printLimit } from "./amount-error.ts";
import { DealStrip } from "./deal-strip.tsx";
import { useBack } from "./use-back.ts";

interface ChoiceFormProps {
  readonly stage: Choosing;
  readonly title: string;
  readonly legend: string;
  readonly children: ComponentChildren;
}

/** A screen with a list to choose from. The price follows the choice. */
export function ChoiceForm({ stage, title, legend, children }: ChoiceFormProps) {
  const dispatch = useDispatch("choosing");
  return (
    <Screen
      title={title}
      shop={stage.world.session.merchant.name}
      step={progressOf(stage)}
      onBack={useBack(stage)}
    >
      <DealStrip stage={stage} />
      <QuoteFault stage={stage} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (stage.quote.status === "failed") return focusQuoteFault();
          dispatch({ type: "advanced" });
        }}
      >
        <fieldset class="choices">
          <legend class="visually-hidden">{legend}</legend>
          {children}
        </fieldset>
        <div class="actions">
          <MainButton busy={stage.continuePending}>{t("continue")}</MainButton>
        </div>
      </form>
    </Screen>
  );
}

interface ChoiceProps {
  readonly group: string;
  readonly name: string;
  readonly hints: readonly ComponentChildren[];
  readonly result?: MethodResult | NoResult | undefined;
  readonly checked: boolean;
  readonly icon: ComponentChildren;
  readonly onPick: () => void;
}

/** One option, as a card with a radio button. */
export const Choice = ({ group, name, hints, result, checked, icon, onPick }: ChoiceProps) => (
  <label class="choice">
    <input type="radio" name={group} checked={checked} onChange={onPick} />
    <span class="choice-words">
      <span class="option-name">{name}</span>
      {hints.map(
        (hint, index) =>
          hint && (
            <span key={index} class="hint">
              {hint}
            </span>
          ),
      )}
    </span>
    {result && <Result result={result} />}
    {icon}
  </label>
);

/** The amount that the customer gets with a method. The best one is marked. */
const Result = ({ result }: { readonly result: MethodResult | NoResult }) =>
  "reason" in result ? (
    <span class="choice-result hint">{result.reason}</span>
  ) : (
    <span
      class={result.isPending ? "choice-result choice-pending" : "choice-result"}
      aria-hidden={result.isPending}
    >
      <bdi>{result.amount}</bdi>
      {result.isBest && <span class="chip">{t("method.best")}</span>}
    </span>
  );

/** Names the payment method whose limit the amount is outside of, and offers the others if there are any. */
function methodError(stage: Choosing): string | undefined {
  const fault = limitFault(stage);
  if (!fault || stage.screen === "delivery") return undefined;
  const method = named(stage.method.name);
  const limit = fault.isOfFees
    ? amountError(stage)
    : t(`method.${fault.bound}`, { method, amount: printLimit(stage, fault.limit) });
  return hasMethodChoice(stage) ? `${limit} ${t("method.another")}` : limit;
}

/** Says why the chosen method has no price, if it has none. */
export function QuoteFault({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("quote");
  const error = methodError(stage) ?? amountError(stage);
  if (!error) return null;
  return (
    <Notice tone="wrong">
      <p role="alert" id="quote-fault" tabIndex={-1}>
        {error}
      </p>
      {isTransient(stage) && (
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

export const focusQuoteFault = (): void => document.getElementById("quote-fault")?.focus();
