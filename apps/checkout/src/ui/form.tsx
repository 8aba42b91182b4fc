import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import { AlertIcon } from "./icons.tsx";

/** One control and its current error. */
export interface FieldCheck {
  readonly id: string;
  readonly error: string | undefined;
  /** The customer typed something, so leaving the field may show its error. */
  readonly typed: boolean;
}

export interface FormErrors {
  errorOf(id: string): string | undefined;
  blur(id: string): void;
  /** Shows every error and focuses the first wrong field. Returns true when nothing is wrong. */
  submit(): boolean;
  readonly summary: readonly FieldCheck[];
}

/** Shows an error when the customer leaves a field they typed in, then updates it. Submitting shows all errors. */
export function useFormErrors(checks: readonly FieldCheck[]): FormErrors {
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const [attempts, setAttempts] = useState(0);
  const first = useRef<string | undefined>(undefined);
  const visible = checks.filter((check) => check.error && revealed.has(check.id));
  useLayoutEffect(() => {
    if (first.current) document.getElementById(first.current)?.focus();
  }, [attempts]);
  return {
    errorOf: (id) => visible.find((check) => check.id === id)?.error,
    blur(id) {
      if (checks.some((check) => check.id === id && check.typed)) {
        setRevealed(new Set([...revealed, id]));
      }
    },
    submit() {
      const wrong = checks.filter((check) => check.error);
      first.current = wrong[0]?.id;
      // A form that was accepted may be emptied, and its empty fields are not wrong.
      setRevealed(new Set(wrong.map((check) => check.id)));
      setAttempts(attempts + 1);
      return wrong.length === 0;
    },
    summary: attempts > 0 && visible.length > 1 ? visible : [],
  };
}

/** The list of errors, if there is more than one. */
export function ErrorSummary({ errors }: { readonly errors: readonly FieldCheck[] }) {
  if (errors.length === 0) return null;
  return (
    <div class="notice notice-wrong" role="group" aria-labelledby="summary-title">
      <AlertIcon />
      <div>
        <h2 id="summary-title">{t("summary.title")}</h2>
        <ul class="summary-list">
          {errors.map(({ id, error }) => (
            <li key={id}>
              <button
                type="button"
                class="link"
                onClick={() => document.getElementById(id)?.focus()}
              >
                {error}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
