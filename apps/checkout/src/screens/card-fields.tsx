import { hasPostalCodes } from "@exchange/contract/postal-codes";
import { toAsciiDigits } from "@exchange/money";
import { BRANDS, brandOf, digitsOf, groupNumber } from "../card/brand.ts";
import { codeLengthOf, formatExpiry } from "../card/rules.ts";
import { t } from "../copy/later.ts";
import type { CardDraft } from "../machine/state.ts";
import { CardMarks } from "../ui/card-marks.tsx";
import { ownDirection, TextField } from "../ui/field.tsx";
import type { FormErrors } from "../ui/form.tsx";
import { CardIcon } from "../ui/later-icons.tsx";
import { CountryField, type CountryProps } from "./country-field.tsx";

interface FieldsProps {
  readonly card: CardDraft;
  readonly form: FormErrors;
  readonly onType: (fields: Partial<CardDraft>) => void;
}

type TypedCard = Pick<CardDraft, "number" | "expiry" | "code">;

interface NumberProps {
  readonly card: TypedCard;
  readonly form: FormErrors;
  readonly onType: (fields: Partial<TypedCard>) => void;
}

export const CardFields = ({ card, form, onType }: FieldsProps) => (
  <div class="fields">
    <NumberFields card={card} form={form} onType={onType} />
    <TextField
      id="card-name"
      label={t("card.holderName")}
      error={form.errorOf("card-name")}
      value={card.holderName}
      onValue={(holderName) => onType({ holderName })}
      onBlur={() => form.blur("card-name")}
      input={{ autoComplete: "cc-name", ...ownDirection(card.holderName) }}
    />
  </div>
);

/** The fields printed on the card: number, expiry date and security code. */
export function NumberFields({ card, form, onType }: NumberProps) {
  const brand = brandOf(digitsOf(card.number));
  const codeLength = codeLengthOf(card.number);
  return (
    <>
      <TextField
        id="card-number"
        label={t("card.number")}
        error={form.errorOf("card-number")}
        value={card.number}
        onValue={(text) => onType({ number: toAsciiDigits(text) })}
        onBlur={() => {
          if (/^[\d\s-]+$/.test(card.number)) onType({ number: groupNumber(card.number) });
          form.blur("card-number");
        }}
        input={{ inputMode: "numeric", autoComplete: "cc-number", dir: "ltr", class: "figures" }}
        after={
          <span class="brand" role="status">
            {brand ? <CardMarks brands={[brand]} words={BRANDS[brand].name} /> : <CardIcon />}
          </span>
        }
      />
      <div class="field-pair">
        <TextField
          id="card-expiry"
          label={t("card.expiry")}
          hint={t("card.expiry.hint")}
          error={form.errorOf("card-expiry")}
          value={card.expiry}
          onValue={(text) => onType({ expiry: formatExpiry(toAsciiDigits(text), card.expiry) })}
          onBlur={() => form.blur("card-expiry")}
          input={{ inputMode: "numeric", autoComplete: "cc-exp", dir: "ltr", class: "figures" }}
        />
        <TextField
          id="card-code"
          label={t("card.code")}
          hint={t(`card.code.hint${codeLength}`)}
          error={form.errorOf("card-code")}
          value={card.code}
          onValue={(text) => onType({ code: toAsciiDigits(text) })}
          onBlur={() => form.blur("card-code")}
          input={{ inputMode: "numeric", autoComplete: "cc-csc", dir: "ltr", class: "figures" }}
        />
      </div>
    </>
  );
}

/** The fields by which a processor checks the card. Street and city decide nothing. */
export function BillingFields(props: FieldsProps & Pick<CountryProps, "locale" | "unserved">) {
  const { card, form, onType } = props;
  return (
    <fieldset class="fields group">
      <legend>{t("card.billing")}</legend>
      <CountryField {...props} />
      {hasPostalCodes(card.countryCode) && (
        <TextField
          id="billing-postal-code"
          label={t("card.postalCode")}
          error={form.errorOf("billing-postal-code")}
          value={card.postalCode}
          onValue={(postalCode) => onType({ postalCode })}
          onBlur={() => form.blur("billing-postal-code")}
          input={{ autoComplete: "billing postal-code" }}
        />
      )}
      <dl class="lines">
        <div class="row">
          <dt>{t("card.frequency")}</dt>
          <dd>{t("card.oneTime")}</dd>
        </div>
      </dl>
    </fieldset>
  );
}
