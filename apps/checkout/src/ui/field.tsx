import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { AlertIcon } from "./icons.tsx";

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly children: ComponentChildren;
}

/** Label, hint and error around one control, tied together by id. */
export const Field = ({ id, label, hint, error, children }: FieldProps) => (
  <div class={error ? "field field-wrong" : "field"}>
    <label for={id}>{label}</label>
    {children}
    {hint && (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {error && <FieldError id={id} error={error} />}
  </div>
);

export const FieldError = ({ id, error }: { readonly id: string; readonly error: string }) => (
  <p class="error" id={`${id}-error`}>
    <AlertIcon />
    <span>{error}</span>
  </p>
);

/** The attributes that tie a control to its field's hint and error. */
export const describedBy = (field: {
  readonly id: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}) => ({
  id: field.id,
  "aria-invalid": field.error ? ("true" as const) : undefined,
  "aria-describedby":
    [field.error && `${field.id}-error`, field.hint && `${field.id}-hint`]
      .filter(Boolean)
      .join(" ") || undefined,
});

/** A typed name or address runs in its own direction. An empty field keeps that of the page. */
export const ownDirection = (value: string): { readonly dir?: "auto" } =>
  value === "" ? {} : { dir: "auto" };

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly onBlur?: () => void;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
  readonly after?: ComponentChildren;
}

export const TextField = (props: TextFieldProps) => (
  <Field {...props}>
    <div class="control">
      <input
        type="text"
        {...props.input}
        {...describedBy(props)}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
        onBlur={() => props.onBlur?.()}
      />
      {props.after}
    </div>
  </Field>
);
