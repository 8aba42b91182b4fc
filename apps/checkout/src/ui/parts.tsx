import type { ComponentChildren } from "preact";
import { AlertIcon, NoteIcon } from "./icons.tsx";

interface NoticeProps {
  readonly tone?: "note" | "warning" | "wrong";
  readonly children: ComponentChildren;
}

/** A short message between the parts of a screen. */
export const Notice = ({ tone = "note", children }: NoticeProps) => (
  <div class={`notice notice-${tone}`}>
    {tone === "note" ? <NoteIcon /> : <AlertIcon />}
    <div>{children}</div>
  </div>
);

interface MainButtonProps {
  readonly children: ComponentChildren;
  readonly busy?: boolean;
  readonly onClick?: () => void;
}

/** The one main action of a screen. A busy button says so and shows it, and keeps the focus. */
export const MainButton = ({ children, busy = false, onClick }: MainButtonProps) => (
  <button
    type={onClick ? "button" : "submit"}
    class="main-button"
    aria-disabled={busy || undefined}
    onClick={(event) => {
      if (busy) event.preventDefault();
      else onClick?.();
    }}
  >
    {busy && <span class="spinner" aria-hidden="true" />}
    <span>{children}</span>
  </button>
);
