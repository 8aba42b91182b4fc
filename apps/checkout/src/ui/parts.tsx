import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import { useActions } from "./context.ts";
import { AlertIcon, CheckIcon, CopyIcon, NoteIcon } from "./icons.tsx";

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

const DISC_COLOURS = 6;

/**
 * A coin's initial on a disc. The same code always has the same colour. The letter is style, so that the text of a button
 * with a disc begins as its name does.
 */
export function Coin({ code }: { readonly code: string }) {
  const numbers = Array.from(code, (character) => character.codePointAt(0) ?? 0);
  const sum = numbers.reduce((total, number) => total + number, 0);
  return (
    <span
      class={`disc disc-${sum % DISC_COLOURS}`}
      data-letter={code.slice(0, 1)}
      aria-hidden="true"
    />
  );
}

interface CopyRowProps {
  readonly label: string;
  readonly value: string;
  /** The text for the clipboard, if it differs from the text on the screen. */
  readonly copied?: string;
  readonly children?: ComponentChildren;
}

/** A label, a value that customers copy rather than type, and the copy button. */
export function CopyRow({ label, value, copied: text = value, children }: CopyRowProps) {
  const { announce } = useActions();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopied(true);
    announce(t("copied"));
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class="row row-tall">
      <dt>{label}</dt>
      <dd>
        {text === value ? (
          <span class="mono" dir="ltr">
            {value}
          </span>
        ) : (
          <bdi class="mono">{value}</bdi>
        )}
        {children}
        <button
          type="button"
          class="quiet-button copy"
          aria-label={t(copied ? "copied.what" : "copy.what", { label })}
          onClick={() => void copy()}
        >
          {copied ? <CheckIcon /> : <CopyIcon />}
          {t(copied ? "copied" : "copy")}
        </button>
      </dd>
    </div>
  );
}

/** Copies in frames too, where the browser may deny the clipboard API but allow a copy by click. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}
