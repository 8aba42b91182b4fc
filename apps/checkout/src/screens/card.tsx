import type { CheckoutSession } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { t } from "../copy/later.ts";
import type { CardDraft, SubmitFault } from "../machine/state.ts";
import { ErrorSummary, useFormErrors } from "../ui/form.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { cardChecks } from "./card-checks.ts";
import { BillingFields, CardFields } from "./card-fields.tsx";
import { filledWith, TestCards } from "./test-cards.tsx";

interface CardScreenProps {
  readonly session: CheckoutSession;
  readonly locale: string;
  readonly card: CardDraft;
  readonly fault: SubmitFault | undefined;
  readonly step?: { readonly number: number; readonly total: number };
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
  /** False where the form cannot be sent. */
  readonly button: string | false;
  readonly onBack: (() => void) | undefined;
  readonly onType: (fields: Partial<CardDraft>) => void;
  readonly onSubmit: () => void;
}

/** The card form, before the order and again after a decline. */
export function CardScreen(props: CardScreenProps) {
  const { session, card } = props;
  const today = new Date();
  const sandbox = session.environment !== "prod";
  const form = useFormErrors(cardChecks(card, { testCards: session.testCards, today }));
  useLayoutEffect(() => document.getElementById("card-fault")?.focus(), [props.fault]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (form.submit()) props.onSubmit();
  };
  return (
    <Screen
      title={t("card.title")}
      shop={session.merchant.name}
      step={props.step}
      onBack={props.onBack}
    >
      {props.above}
      {props.fault && (
        <Notice tone="wrong">
          <p role="alert" id="card-fault" tabIndex={-1}>
            {t(`submit.${props.fault}`)}
          </p>
        </Notice>
      )}
      {sandbox && (
        <TestCards
          cards={session.testCards}
          onFill={(testCard) => props.onType(filledWith(testCard, card, today))}
        />
      )}
      <form noValidate onSubmit={submit}>
        <ErrorSummary errors={form.summary} />
        <CardFields card={card} form={form} onType={props.onType} />
        <BillingFields
          card={card}
          form={form}
          onType={props.onType}
          locale={props.locale}
          unserved={session.unservedCountries}
        />
        {props.button && (
          <div class="actions">
            <MainButton>{props.button}</MainButton>
          </div>
        )}
      </form>
      {props.below}
    </Screen>
  );
}
