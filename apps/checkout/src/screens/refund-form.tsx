import { t } from "../copy/later.ts";
import { lacksRefundAddress } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { describedBy, Field, TextField } from "../ui/field.tsx";
import { useFormErrors } from "../ui/form.tsx";
import { shorten } from "../ui/words.ts";
import { submitOnEnter } from "./address-field.tsx";
import { Line } from "./price-lines.tsx";

/** Asks for the refund address of a placed order, or shows the stored one. */
export function RefundForm({ stage }: { readonly stage: Ordered }) {
  const { order } = stage;
  if (order.payment.type !== "crypto") return null;
  const isGoing = order.status === "refund_pending" || order.status === "refunded";
  if (order.refundAddress && order.status !== "completed") {
    return (
      <dl class="lines">
        <Line
          label={t(isGoing ? "sendBack.going" : "sendBack.saved")}
          value={shorten(order.refundAddress)}
        />
      </dl>
    );
  }
  if (!lacksRefundAddress(order) || stage.connection === "timed_out") return null;
  // In review a refund may be near, so the form is open. Elsewhere it is folded.
  if (order.status === "in_review") return <Form stage={stage} title={t("sendBack.coming")} />;
  return (
    <details class="what-if">
      <summary>{t("sendBack.title")}</summary>
      <Form stage={stage} title={undefined} />
    </details>
  );
}

interface FormProps {
  readonly stage: Ordered;
  readonly title: string | undefined;
}

function Form({ stage, title }: FormProps) {
  const dispatch = useDispatch("refund");
  const { address, memo, status, fault } = stage.refund;
  const refused = fault && t(`sendBack.error.${fault}`);
  const form = useFormErrors([
    {
      id: "refund-address",
      typed: address !== "",
      error: address.trim() === "" ? t("sendBack.error.empty") : refused,
    },
  ]);
  const error = form.errorOf("refund-address") ?? refused;
  const field = { id: "refund-address", label: t("sendBack.label"), error };
  const busy = status === "saving";
  const submit = (event: Event): void => {
    event.preventDefault();
    // A refused address can be sent again: the connection may only have been down.
    if (form.submit() || fault) dispatch({ type: "refundPressed" });
  };
  return (
    <form class="fields" noValidate onSubmit={submit}>
      {title && <h2>{title}</h2>}
      <Field {...field}>
        <div class="control">
          <textarea
            {...describedBy(field)}
            class="mono"
            rows={2}
            dir="ltr"
            autoComplete="off"
            autocapitalize="off"
            spellcheck={false}
            readOnly={busy}
            value={address}
            onInput={(event) =>
              dispatch({ type: "refundTyped", fields: { address: event.currentTarget.value } })
            }
            onKeyDown={submitOnEnter}
          />
        </div>
      </Field>
      {stage.order.payment.instructions?.memo && (
        <TextField
          id="refund-memo"
          label={t("sendBack.memo")}
          value={memo}
          onValue={(text) => dispatch({ type: "refundTyped", fields: { memo: text } })}
          input={{ autoComplete: "off", spellcheck: false, dir: "ltr", class: "mono" }}
        />
      )}
      <button type="submit" class="second-button" aria-disabled={busy || undefined}>
        {t("sendBack.save")}
      </button>
    </form>
  );
}
