import { t } from "../copy/later.ts";
import { lacksRefundAddress } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useDispatch } from "../ui/context.ts";
import { describedBy, Field } from "../ui/field.tsx";
import { useFormErrors } from "../ui/form.tsx";
import { shorten } from "../ui/words.ts";
import { submitOnEnter } from "./address-field.tsx";
import { lacksMemo, MemoField } from "./memo-field.tsx";
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
  const { address, status, fault } = stage.refund;
  const hasMemo = Boolean(stage.order.payment.instructions?.memo);
  const memoError = hasMemo && lacksMemo(stage.refund) ? t("wallet.error.memoOrNone") : undefined;
  const refused = fault && t(`sendBack.error.${fault}`);
  const form = useFormErrors([
    {
      id: "refund-address",
      typed: address !== "",
      error: address.trim() === "" ? t("sendBack.error.empty") : refused,
    },
    { id: "refund-memo", typed: false, error: memoError },
  ]);
  const busy = status === "saving";
  const submit = (event: Event): void => {
    event.preventDefault();
    // A refused address can be sent again: the connection may only have been down.
    if (form.submit() || (fault && !memoError)) dispatch({ type: "refundPressed" });
  };
  return (
    <form class="fields" noValidate onSubmit={submit}>
      {title && <h2>{title}</h2>}
      <AddressText stage={stage} error={form.errorOf("refund-address") ?? refused} />
      {hasMemo && (
        <MemoField
          id="refund-memo"
          hint={t("wallet.memo.hint")}
          error={form.errorOf("refund-memo")}
          draft={stage.refund}
          onMemo={(memo) => dispatch({ type: "refundTyped", fields: { memo, withoutMemo: false } })}
          onWaived={(withoutMemo) =>
            dispatch({ type: "refundTyped", fields: { memo: "", withoutMemo } })
          }
        />
      )}
      <button type="submit" class="second-button" aria-disabled={busy || undefined}>
        {t("sendBack.save")}
      </button>
    </form>
  );
}

interface AddressTextProps {
  readonly stage: Ordered;
  readonly error: string | undefined;
}

function AddressText({ stage, error }: AddressTextProps) {
  const dispatch = useDispatch("refund");
  const { address, status } = stage.refund;
  const field = { id: "refund-address", label: t("sendBack.label"), error };
  return (
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
          readOnly={status === "saving"}
          value={address}
          onInput={(event) =>
            dispatch({ type: "refundTyped", fields: { address: event.currentTarget.value } })
          }
          onKeyDown={submitOnEnter}
        />
      </div>
    </Field>
  );
}
