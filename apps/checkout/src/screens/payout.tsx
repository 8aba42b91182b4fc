import { toAsciiDigits } from "@exchange/money";
import type { InputHTMLAttributes } from "preact";
import { named, t, tIfKnown } from "../copy/later.ts";
import { type PayoutField, payoutFault, payoutFields } from "../machine/payout.ts";
import type { Choosing } from "../machine/state.ts";
import { progressOf, sendsCrypto } from "../machine/steps.ts";
import { isCard } from "../machine/ways.ts";
import { useDispatch } from "../ui/context.ts";
import { ownDirection, TextField } from "../ui/field.tsx";
import { ErrorSummary, type FieldCheck, type FormErrors, useFormErrors } from "../ui/form.tsx";
import { MainButton, Notice } from "../ui/parts.tsx";
import { Screen } from "../ui/screen.tsx";
import { type CardRules, numberChecks } from "./card-checks.ts";
import { DealStrip } from "./deal-strip.tsx";
import { PayoutCard } from "./payout-card.tsx";
import { RefundFields } from "./refund-field.tsx";
import { useRefusedFocus } from "./refused-focus.ts";
import { useBack } from "./use-back.ts";
import { addressChecks, isOnlyUnchecked } from "./wallet-checks.ts";

/** The payout details: the fields of the delivery method, a debit card, and a refund address. */
export function PayoutScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const { world, delivery } = stage;
  const { session, operation } = world;
  const warning = tIfKnown(`payout.warning.${operation}`);
  const rules = { testCards: session.testCards, today: new Date() };
  const checks = payoutChecks(stage, rules);
  const form = useFormErrors(checks);
  const submit = (event: Event): void => {
    event.preventDefault();
    const wrong = checks.filter(({ error }) => error);
    if (form.submit() || isOnlyUnchecked(stage, wrong)) dispatch({ type: "advanced" });
  };
  useRefusedFocus(stage);
  return (
    <Screen
      title={t(operation === "FF" ? "payout.title.FF" : "payout.title")}
      shop={session.merchant.name}
      step={progressOf(stage)}
      onBack={useBack(stage)}
    >
      <DealStrip stage={stage} />
      <form noValidate onSubmit={submit}>
        <ErrorSummary errors={form.summary} />
        <fieldset class="fields">
          <legend class="visually-hidden">{t("payout.legend")}</legend>
          {payoutFields(stage).map((field) => (
            <PayoutInput key={field.name} {...{ stage, form, field }} />
          ))}
        </fieldset>
        {delivery && isCard(delivery) && (
          <PayoutCard stage={stage} form={form} today={rules.today} />
        )}
        {warning && (
          <Notice tone="warning">
            <p>{warning}</p>
          </Notice>
        )}
        {sendsCrypto(operation) && <RefundFields stage={stage} form={form} />}
        <div class="actions">
          <MainButton busy={stage.continuePending}>{t("continue")}</MainButton>
        </div>
      </form>
    </Screen>
  );
}

interface InputProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
  readonly field: PayoutField;
}

function PayoutInput({ stage, form, field }: InputProps) {
  const dispatch = useDispatch("payout");
  const { name } = field;
  const id = payoutId(field);
  return (
    <TextField
      id={id}
      label={named(field.label)}
      hint={hintFor(name, stage)}
      error={form.errorOf(id)}
      value={stage.payout[name] ?? ""}
      onValue={(text) => dispatch({ type: "payoutTyped", name, value: toAsciiDigits(text) })}
      onBlur={() => form.blur(id)}
      input={inputFor(field, stage)}
    />
  );
}

const hintFor = (name: string, { delivery }: Choosing): string | undefined =>
  name === "accountHolder" && delivery
    ? tIfKnown(`payout.holder.${delivery.type}`)
    : tIfKnown(`payout.hint.${name}`);

/** Returns the input attributes of a field: a numeric keyboard for digits, and no autofill for accounts. */
function inputFor(
  { name, pattern }: PayoutField,
  stage: Choosing,
): InputHTMLAttributes<HTMLInputElement> {
  const own = stage.world.operation === "S";
  const direction = ownDirection(stage.payout[name] ?? "");
  if (name === "accountHolder") return { autoComplete: own ? "name" : "off", ...direction };
  if (name === "email") return { inputMode: "email", autoComplete: own ? "email" : "off" };
  if (name === "phone") return { inputMode: "tel", autoComplete: own ? "tel" : "off" };
  const quiet = { autoComplete: "off", autocapitalize: "off", spellcheck: false } as const;
  const isDigits = /^\^\(?\[0-9\]/.test(pattern);
  if (isDigits) return { ...quiet, inputMode: "numeric", dir: "ltr", class: "figures" };
  return /\\p\{L\}/.test(pattern) ? { ...quiet, ...direction } : { ...quiet, dir: "ltr" };
}

/** Checks the payout form field by field, in the order of the screen. */
function payoutChecks(stage: Choosing, rules: CardRules): readonly FieldCheck[] {
  const fields = payoutFields(stage).map((field) => {
    const typed = stage.payout[field.name] ?? "";
    return { id: payoutId(field), typed: typed !== "", error: payoutError(field, typed) };
  });
  const asksCard = stage.delivery && isCard(stage.delivery) && !stage.payoutCard.token;
  const card = asksCard ? numberChecks(stage.payoutCard, rules) : [];
  return [...fields, ...card, ...addressChecks(stage)];
}

const payoutId = ({ name }: PayoutField): string => `payout-${name}`;

function payoutError(field: PayoutField, typed: string): string | undefined {
  const fault = payoutFault(field, typed);
  if (fault === undefined) return undefined;
  if (fault === "checksum") return t("payout.error.checksum");
  return t(`payout.error.${fault}`, { label: named(field.label) });
}
