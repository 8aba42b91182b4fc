import { en } from "../copy/en.ts";
import { orders, paidBy } from "../copy/orders.ts";
import { canCancel } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { Dialog, DialogBusy, DialogChoice } from "../ui/dialog.tsx";

const words = orders.cancel;

/** The way out of an order that nobody has paid yet; nothing where there is none. */
export function CancelOrder({ stage }: { readonly stage: Ordered }) {
  const { dispatch } = useActions();
  const allowed = stage.session.scope.includes("order.cancel");
  if (stage.cancelling === "refused") {
    return (
      <p class="hint centred" role="alert">
        {words.refused}
      </p>
    );
  }
  if (!allowed || !canCancel(stage.order) || stage.connection === "timed_out") return null;
  return (
    <p class="centred">
      <button
        type="button"
        class="link link-target"
        onClick={() => dispatch({ type: "cancelAsked" })}
      >
        {words.button}
      </button>
    </p>
  );
}

/** The way back to the shop while the order goes on by itself. */
export function LeaveButton({ stage }: { readonly stage: Ordered }) {
  const { exit, hosted } = useActions();
  if (!hosted) return null;
  return (
    <button type="button" class="second-button wide" onClick={() => exit.ask("user")}>
      {en.backTo(stage.session.merchant.name)}
    </button>
  );
}

/** "Cancel this order?" */
export function CancelDialog({ stage }: { readonly stage: Ordered }) {
  const { dispatch } = useActions();
  const busy = stage.cancelling === "cancelling";
  const stay = (): void => dispatch({ type: "cancelDeclined" });
  const text = paidBy(stage.order) === "card" ? words.text.card : words.text.other;
  return (
    <Dialog title={busy ? words.busy : words.title} onStay={busy ? undefined : stay}>
      {busy ? (
        <DialogBusy />
      ) : (
        <>
          <p>{text}</p>
          <DialogChoice
            stay={words.stay}
            go={words.confirm}
            onStay={stay}
            onGo={() => dispatch({ type: "cancelPressed" })}
          />
        </>
      )}
    </Dialog>
  );
}
