import { t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import type { FormErrors } from "../ui/form.tsx";
import { AddressFields } from "./address-field.tsx";

interface RefundProps {
  readonly stage: Choosing;
  readonly form: FormErrors;
}

/** Asks for the refund address of the customer's coins and says why. */
export const RefundFields = (props: RefundProps) => (
  <fieldset class="fields group">
    <legend>{t("refund.legend")}</legend>
    <p class="hint">{t("refund.text")}</p>
    <AddressFields {...props} use="refund" />
  </fieldset>
);
