import { t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { kindOfMethod, paysOnReview } from "../machine/steps.ts";
import { hasMethodChoice } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { ErrorSummary, type FormErrors, useFormErrors } from "../ui/form.tsx";
import { cardChecks } from "./card-checks.ts";
import { BillingFields, CardFields } from "./card-fields.tsx";
import { QuoteFault } from "./choice-form.tsx";
import { MethodChoices } from "./method.tsx";
import { filledWith, TestCards } from "./test-cards.tsx";

const paysByCard = (stage: Choosing): boolean =>
  paysOnReview(stage) && kindOfMethod(stage.method) === "card";

/** Returns the errors of the card fields on the review. A review without card fields has no errors. */
export function useCardOnReview(stage: Choosing): FormErrors {
  const { testCards } = stage.world.session;
  const rules = { testCards, today: new Date() };
  return useFormErrors(paysByCard(stage) ? cardChecks(stage.card, rules) : []);
}

interface PayFieldsProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
}

/** How the customer pays a fixed exchange: the methods, and the fields of a card. */
export function PayFields({ stage, form }: PayFieldsProps) {
  const dispatch = useDispatch("choosing");
  const { world, card } = stage;
  const { session } = world;
  const onType = (fields: Partial<Choosing["card"]>): void =>
    dispatch({ type: "cardTyped", fields });
  return (
    <>
      <QuoteFault stage={stage} />
      {hasMethodChoice(stage) && (
        <fieldset class="choices">
          <legend>{t("method.title")}</legend>
          <MethodChoices stage={stage} />
        </fieldset>
      )}
      {paysByCard(stage) && (
        <>
          {session.environment !== "prod" && (
            <TestCards
              cards={session.testCards}
              onFill={(testCard) => onType(filledWith(testCard, card, new Date()))}
            />
          )}
          <ErrorSummary errors={form.summary} />
          <CardFields card={card} form={form} onType={onType} />
          <BillingFields
            card={card}
            form={form}
            onType={onType}
            locale={world.locale}
            unserved={session.unservedCountries}
          />
        </>
      )}
    </>
  );
}
