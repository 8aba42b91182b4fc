import type { ComponentChildren } from "preact";
import { AlertIcon, CheckIcon, ClockIcon, CrossIcon, NoteIcon } from "./icons.tsx";

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

export type Tone = "going" | "good" | "bad" | "neutral";

const EMBLEMS: Readonly<Record<Tone, ComponentChildren>> = {
  going: <span class="spinner spinner-large" />,
  good: <CheckIcon />,
  bad: <CrossIcon />,
  neutral: <ClockIcon />,
};

export const Emblem = ({ tone }: { readonly tone: Tone }) => (
  <span class={`emblem emblem-${tone}`} aria-hidden="true">
    {EMBLEMS[tone]}
  </span>
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
