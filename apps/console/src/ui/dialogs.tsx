import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { CallError } from "../api.ts";
import { say } from "../say.ts";
import { ErrorNotice } from "./error-notice.tsx";

/**
 * A dialog of the page. Escape and its last button close it, and the focus goes back to where it was before. A busy
 * one stays until its call has ended, because closing it would not take the call back.
 */
export function Dialog(props: {
  readonly title: string;
  /** The text of the last button. */
  readonly close: string;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The question for a proof opens over another dialog.
  const title = useId();
  const close = (): void => {
    if (!props.isBusy) props.onClose();
  };
  // An effect after paint could take the focus from a field in which somebody is already typing.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      // Chromium closes it at a second Escape, although the first was refused.
      closedby={props.isBusy ? "none" : undefined}
      // The browser's own end comes later, and could close a dialog that has opened since.
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id={title}>{props.title}</h2>
      {props.children}
      <button type="button" class="button quiet wide" aria-disabled={props.isBusy} onClick={close}>
        {props.close}
      </button>
    </dialog>
  );
}

/** A dialog with a form. Its fields are the children, and why it failed is above its buttons. */
export function FormDialog(props: {
  readonly title: string;
  readonly text?: string;
  readonly submit: string;
  readonly tone?: "primary" | "danger";
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  readonly onSubmit: (event: SubmitEvent) => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) {
  const { tone = "primary" } = props;
  return (
    <Dialog
      title={props.title}
      close={say("common.cancel")}
      isBusy={props.isBusy}
      onClose={props.onClose}
    >
      {props.text && <p>{props.text}</p>}
      <form onSubmit={props.onSubmit}>
        {props.children}
        <ErrorNotice error={props.error} />
        <button type="submit" class={`button ${tone} wide`} aria-disabled={props.isBusy}>
          {props.submit}
        </button>
      </form>
    </Dialog>
  );
}

/** Shows a secret that is in no other answer, until the dialog is closed. */
export function SecretDialog(props: {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={props.title} close={say("common.close")} onClose={props.onClose}>
      <p>{props.text}</p>
      <p class="secret">{props.secret}</p>
      <button
        type="button"
        class="button primary wide"
        onClick={() => void navigator.clipboard.writeText(props.secret)}
      >
        {say("common.copy")}
      </button>
    </Dialog>
  );
}
