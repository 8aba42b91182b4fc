import { t } from "../copy/later.ts";
import { asksFirst } from "../flow/leave.ts";
import type { CheckoutState } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { Dialog, DialogBusy, DialogChoice } from "../ui/dialog.tsx";

/** Asks before leaving loses something, or says that an order is being finished first. */
export function LeaveDialog({ state }: { readonly state: CheckoutState }) {
  const { exit } = useActions();
  if (state.exit === "finishing") {
    return (
      <Dialog title={t("leave.finishing")} onStay={undefined}>
        <DialogBusy />
      </Dialog>
    );
  }
  const atBank = asksFirst(state) === "bank";
  return (
    <Dialog title={t(atBank ? "leave.bank.title" : "leave.title")} onStay={exit.stay}>
      <p>{t(atBank ? "leave.bank" : "leave.text")}</p>
      <DialogChoice
        stay={t("leave.stay")}
        go={t("leave.leave")}
        onStay={exit.stay}
        onGo={exit.confirm}
      />
    </Dialog>
  );
}
