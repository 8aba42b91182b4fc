import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { locksOf } from "../machine/locks.ts";
import { takes } from "../machine/open.ts";
import { STEPS } from "../machine/reduce-choosing.ts";
import type { Choosing } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { CardIcon, LockIcon } from "../ui/icons.tsx";
import { MainButton } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { daysOf } from "../ui/words.ts";
import { DealStrip } from "./deal-strip.tsx";

/** How the customer pays; shown even when there is one way only. */
export function MethodScreen({ stage }: { readonly stage: Choosing }) {
  const { dispatch } = useActions();
  const { world } = stage;
  const shop = world.session.merchant.name;
  const locked = locksOf(world.session).method;
  const methods = world.methods.filter((method) => takes(method, stage.spend));
  const days = stage.quote.quote && daysOf(stage.quote.quote.delivery.time);
  return (
    <Screen
      title={operationCopy(world.operation).methodTitle}
      shop={shop}
      step={{ number: 2, total: STEPS.length }}
      onBack={() => dispatch({ type: "wentBack" })}
    >
      <DealStrip stage={stage} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          dispatch({ type: "advanced" });
        }}
      >
        <fieldset class="choices">
          <legend class="visually-hidden">{en.method.legend}</legend>
          {(locked ? [stage.method] : methods).map((method) => (
            <label key={method.id} class="choice">
              <input
                type="radio"
                name="method"
                checked={method.id === stage.method.id}
                onChange={() => dispatch({ type: "methodPicked", method })}
              />
              <span class="choice-words">
                <span class="option-name">{method.name}</span>
                <span class="hint">{en.method.card}</span>
                {days && <span class="hint">{en.method.time(...days)}</span>}
              </span>
              {locked ? <LockIcon /> : <CardIcon />}
            </label>
          ))}
        </fieldset>
        {locked && <p class="hint">{en.setBy(shop)}</p>}
        <div class="actions">
          <MainButton>{en.continue}</MainButton>
        </div>
      </form>
    </Screen>
  );
}
