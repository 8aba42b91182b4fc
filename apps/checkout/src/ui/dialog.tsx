import { directionOf } from "@exchange/ui/languages";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../copy/later.ts";
import { spokenLocale } from "../copy/speech.ts";
import { asksFirst } from "../machine/back.ts";
import type { CheckoutState } from "../machine/state.ts";
import { useActions } from "./context.ts";
import { MainButton } from "./parts.tsx";

interface QuestionProps {
  readonly title: string;
  /** Runs on Esc. Undefined while there is nothing to decide. */
  readonly onStay: (() => void) | undefined;
  readonly children: ComponentChildren;
}

/** A modal question: the screen behind it is inert. */
export function Dialog({ title, onStay, children }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    const focused = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      if (focused instanceof HTMLElement) focused.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="leave"
      // A field whose value runs left to right may have asked.
      dir={directionOf(spokenLocale())}
      aria-labelledby="dialog-title"
      // The checkout around it must not take the Esc of a question for its own.
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        // A second Escape would close it although nothing can be decided.
        if (onStay === undefined) event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onStay?.();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface ChoiceProps {
  readonly stay: string;
  readonly go: string;
  readonly onStay: () => void;
  readonly onGo: () => void;
}

/** The two answers. The harmless one comes first and has the focus. */
export const DialogChoice = ({ stay, go, onStay, onGo }: ChoiceProps) => (
  <div class="leave-actions">
    <MainButton onClick={onStay}>{stay}</MainButton>
    <button type="button" class="second-button wide" onClick={onGo}>
      {go}
    </button>
  </div>
);

export const DialogBusy = () => (
  <p class="check">
    <span class="spinner" aria-hidden="true" />
  </p>
);

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
  const reason = asksFirst(state);
  return (
    <Dialog title={t("leave.title")} onStay={exit.stay}>
      <p>{t(reason === "bank" || reason === "payment" ? `leave.${reason}` : "leave.text")}</p>
      <DialogChoice
        stay={t("leave.stay")}
        go={t("leave.leave")}
        onStay={exit.stay}
        onGo={exit.confirm}
      />
    </Dialog>
  );
}
