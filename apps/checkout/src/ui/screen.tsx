import { formatCount } from "@exchange/ui/messages";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../copy/first.ts";
import { spokenLocale } from "../copy/speech.ts";
import { useActions } from "./context.ts";
import { BackIcon } from "./icons.tsx";

interface ScreenProps {
  readonly title: string;
  readonly shop: string | undefined;
  readonly step?: { readonly number: number; readonly total: number } | undefined;
  /** Null where the way back is closed for a moment. Its button keeps its room. */
  readonly onBack?: (() => void) | null | undefined;
  readonly children: ComponentChildren;
}

/** The parts of every screen: the back button, the progress, and a heading that takes the focus when the screen opens. */
export function Screen({ title, shop, step, onBack, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const focused = document.activeElement;
  useLayoutEffect(() => {
    window.scrollTo(0, 0);
    // The focus of the page around a frame is not taken.
    if (window.parent === window || document.hasFocus()) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  useLayoutEffect(() => {
    document.title = shop ? `${title} - ${shop}` : title;
    // A part of the screen may have disappeared with the focus in it.
    const isLost = !focused?.isConnected && document.activeElement === document.body;
    if (isLost && document.hasFocus()) heading.current?.focus();
  });
  return (
    <main class="main" aria-labelledby="screen-title">
      {(onBack || step) && (
        <div class="trail">
          {onBack !== undefined && (
            <button
              type="button"
              class="quiet-button back"
              disabled={!onBack}
              onClick={onBack ?? undefined}
            >
              <BackIcon />
              {t("back")}
            </button>
          )}
          {step && <Progress {...step} />}
        </div>
      )}
      <h1 id="screen-title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}

/** Announces the words of a screen and their changes. A heading that took the focus as the screen opened is read by that. */
export function useAnnouncedWords(title: string, text: string): void {
  const { announce } = useActions();
  const isOpen = useRef(false);
  useEffect(() => {
    const isRead = !isOpen.current && document.activeElement?.id === "screen-title";
    announce(isRead ? text : `${title}. ${text}`);
    isOpen.current = true;
  }, [title, text]);
}

const Progress = ({ number, total }: { readonly number: number; readonly total: number }) => (
  <p class="progress">
    <span>{t("step", { number: inDigits(number), total: inDigits(total) })}</span>
    <span class="progress-dots" aria-hidden="true">
      {Array.from({ length: total }, (_, index) => (
        <span key={index} class={index < number ? "dot dot-on" : "dot"} />
      ))}
    </span>
  </p>
);

const inDigits = (count: number): string => formatCount(count, spokenLocale());
