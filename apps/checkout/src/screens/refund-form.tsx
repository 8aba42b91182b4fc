import { useEffect, useRef } from "preact/hooks";
import { t } from "../copy/later.ts";
import { mayNameRefundAddress } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { Field } from "../ui/field.tsx";
import { useFormErrors } from "../ui/form.tsx";
import { shorten } from "../ui/network-words.ts";
import { AddressInput } from "./address-input.tsx";
import { lacksMemo, MemoField } from "./memo-field.tsx";
import { Line } from "./price-lines.tsx";

/**
 * Asks for the refund address of a placed order. Where the order has one, the form asks for another,
 * which the operator decides about.
 */
export function RefundForm({ stage }: { readonly stage: Ordered }) {
  const { order, connection } = stage;
  useAnnouncedAddress(order.refundAddress);
  const mayAsk = mayNameRefundAddress(order) && connection !== "timed_out";
  if (order.refundAddress) {
    return order.status === "completed" ? null : (
      <>
        <Addresses order={order} />
        {mayAsk && (
          // The form of the first address leaves none of its faults here.
          <details key="another" class="what-if">
            <summary>{t("sendBack.change")}</summary>
            <Form
              stage={stage}
              text={order.requestedRefundAddress ? undefined : t("sendBack.change.text")}
              save={t("sendBack.ask")}
            />
          </details>
        )}
      </>
    );
  }
  if (!mayAsk) return null;
  const save = t("sendBack.save");
  // In review a refund may be near, so the form is open. Elsewhere it is folded.
  if (order.status === "in_review") {
    return <Form stage={stage} title={t("sendBack.coming")} save={save} />;
  }
  return (
    <details key="first" class="what-if">
      <summary>{t("sendBack.title")}</summary>
      <Form stage={stage} save={save} />
    </details>
  );
}

/** The form of the first address is gone once it is saved. */
function useAnnouncedAddress(address: string | null): void {
  const { announce } = useActions();
  const announced = useRef(address);
  useEffect(() => {
    if (address !== null && announced.current === null) announce(t("sendBack.saved.text"));
    announced.current = address;
  }, [address]);
}

/** Shows where a refund goes, and the other address that the customer asked for. */
function Addresses({ order }: { readonly order: Ordered["order"] }) {
  const { announce } = useActions();
  const isGoing = order.status === "refund_pending" || order.status === "refunded";
  const requested = isGoing ? null : order.requestedRefundAddress;
  const announced = useRef(requested);
  useEffect(() => {
    if (requested && requested !== announced.current) announce(t("sendBack.asked.text"));
    announced.current = requested;
  }, [requested]);
  return (
    <>
      <dl class="lines">
        <Line
          label={t(isGoing ? "sendBack.going" : "sendBack.saved")}
          value={shorten(order.refundAddress ?? "")}
        />
        {requested && <Line label={t("sendBack.asked")} value={shorten(requested)} />}
      </dl>
      {requested && <p class="hint">{t("sendBack.asked.text")}</p>}
    </>
  );
}

interface FormProps {
  readonly stage: Ordered;
  readonly title?: string;
  readonly text?: string | undefined;
  readonly save: string;
}

function Form({ stage, title, text, save }: FormProps) {
  const dispatch = useDispatch("refund");
  const { address, status, fault } = stage.refund;
  const hasMemo = Boolean(stage.order.payment.instructions?.memo);
  const memoError = hasMemo && lacksMemo(stage.refund) ? t("wallet.error.memoOrNone") : undefined;
  const refused = fault && t(`sendBack.error.${fault}`);
  const form = useFormErrors([
    {
      id: "refund-address",
      typed: address !== "",
      // A refused address can be sent again: the connection may only have been down.
      error: address.trim() === "" ? t("sendBack.error.empty") : undefined,
    },
    { id: "refund-memo", typed: false, error: memoError },
  ]);
  const busy = status === "saving";
  const submit = (event: Event): void => {
    event.preventDefault();
    if (form.submit()) dispatch({ type: "refundPressed" });
  };
  return (
    <form class="fields" noValidate onSubmit={submit}>
      {title && <h2>{title}</h2>}
      {text && <p class="hint">{text}</p>}
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
        {save}
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
      <AddressInput
        field={field}
        value={address}
        readOnly={status === "saving"}
        onValue={(typed) => dispatch({ type: "refundTyped", fields: { address: typed } })}
      />
    </Field>
  );
}
