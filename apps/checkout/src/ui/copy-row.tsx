import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import { useActions } from "./context.ts";
import { CheckIcon } from "./icons.tsx";
import { CopyIcon } from "./later-icons.tsx";

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
  const [copies, setCopies] = useState(0);
  const copied = copies > 0;
  // Each copy begins the time anew.
  useEffect(() => {
    if (copies === 0) return undefined;
    const timer = setTimeout(() => setCopies(0), 2_000);
    return () => clearTimeout(timer);
  }, [copies]);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopies((count) => count + 1);
    announce(t("copied"));
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
        <button
          type="button"
          class="quiet-button copy"
          aria-label={t(copied ? "copied.what" : "copy.what", { label })}
          onClick={() => void copy()}
        >
          {copied ? <CheckIcon /> : <CopyIcon />}
          {t(copied ? "copied" : "copy")}
        </button>
        {children}
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
