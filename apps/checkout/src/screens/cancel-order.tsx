import { t } from "../copy/later.ts";
import { canCancel, paidBy } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions, useDispatch } from "../ui/context.ts";
import { Dialog, DialogBusy, DialogChoice } from "../ui/dialog.tsx";

/** Offers to cancel an order that is not paid yet, if it can be cancelled. */
export function CancelOrder({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("cancellation");
  if (stage.cancellation === "refused") {
    return (
      <p class="hint centred" role="alert">
        {t("cancel.refused")}
      </p>
    );
  }
  const isPaying = stage.submission !== "none";
  if (!canCancel(stage.order) || isPaying || stage.connection === "timed_out") return null;
  return (
    <>
      {stage.cancellation === "unreachable" && (
        <p class="hint centred" role="alert">
          {t("cancel.unreachable")}
        </p>
      )}
      <p class="centred">
        <button
          type="button"
          class="link link-target"
          onClick={() => dispatch({ type: "cancelRequested" })}
        >
          {t("cancel.button")}
        </button>
      </p>
    </>
  );
}

/** Leads back to the shop while the order continues. */
export function LeaveButton({ stage }: { readonly stage: Ordered }) {
  const { exit, hosted } = useActions();
  if (!hosted) return null;
  return (
    <button type="button" class="second-button wide" onClick={() => exit.ask("user")}>
      {t("backTo", { shop: stage.session.merchant.name })}
    </button>
  );
}

/** Asks "Cancel this order?" */
export function CancelDialog({ stage }: { readonly stage: Ordered }) {
  const dispatch = useDispatch("cancellation");
  const busy = stage.cancellation === "sent";
  const stay = (): void => dispatch({ type: "cancelDeclined" });
  const text = t(paidBy(stage.order) === "card" ? "cancel.text.card" : "cancel.text.other");
  return (
    <Dialog title={t(busy ? "cancel.busy" : "cancel.title")} onStay={busy ? undefined : stay}>
      {busy ? (
        <DialogBusy />
      ) : (
        <>
          <p>{text}</p>
          <DialogChoice
            stay={t("cancel.stay")}
            go={t("cancel.confirm")}
            onStay={stay}
            onGo={() => dispatch({ type: "cancelConfirmed" })}
          />
        </>
      )}
    </Dialog>
  );
}
