import { t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import type { FormErrors } from "../ui/form.tsx";
import { CardIcon } from "../ui/later-icons.tsx";
import { Notice } from "../ui/parts.tsx";
import { NumberFields } from "./card-fields.tsx";
import { printedOn, TestCards } from "./test-cards.tsx";
import { useFocusAfter } from "./use-focus-after.ts";

interface PayoutCardProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
  readonly today: Date;
}

/** A debit card that receives the payout. Once it is tokenized, only its brand and last digits show. */
export function PayoutCard({ stage, form, today }: PayoutCardProps) {
  const dispatch = useDispatch("payout");
  const { payoutCard, world } = stage;
  const { token, fault } = payoutCard;
  const focusAfterwards = useFocusAfter("card-number", token);
  if (token) {
    return (
      <div class="kept-card">
        <CardIcon />
        <span>{t("card.ending", token)}</span>
        <button
          type="button"
          class="link link-target"
          onClick={() => {
            focusAfterwards();
            dispatch({ type: "payoutCardDropped" });
          }}
        >
          {t("payout.card.another")}
        </button>
      </div>
    );
  }
  return (
    <fieldset class="fields group">
      <legend>{t("payout.card.legend")}</legend>
      <p class="hint">{t("payout.card.hint")}</p>
      {fault && (
        <Notice tone="wrong">
          <p role="alert">{t(`payout.card.${fault}`)}</p>
        </Notice>
      )}
      {world.session.environment !== "prod" && (
        <TestCards
          cards={world.session.testCards}
          onFill={(testCard) =>
            dispatch({ type: "payoutCardTyped", fields: printedOn(testCard, today) })
          }
        />
      )}
      <NumberFields
        card={payoutCard}
        form={form}
        onType={(fields) => dispatch({ type: "payoutCardTyped", fields })}
      />
    </fieldset>
  );
}
