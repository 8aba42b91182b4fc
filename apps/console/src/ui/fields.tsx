import type { TargetedEvent } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../say.ts";

/** A field of a form. A dialog may have a field of the same name as the screen behind it, so ids are made. */
export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: "date" | "email" | "password" | "text" | "datetime-local";
  readonly autocomplete?: string;
  readonly inputMode?: "numeric" | "decimal";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
  /** The text that the field begins with. Another one, such as after Back, replaces what the person wrote. */
  readonly initial?: string;
  /** The id of a `datalist` with texts to choose from. */
  readonly list?: string;
  readonly onFocus?: (event: TargetedEvent<HTMLInputElement>) => void;
  readonly onInput?: (event: TargetedEvent<HTMLInputElement>) => void;
}

export function Field({ label, hint, type = "text", initial, ...input }: FieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // A new element would lose the focus of a person who pressed Enter in it.
  useLayoutEffect(() => {
    if (field.current && initial !== undefined) field.current.value = initial;
  }, [initial]);
  const begun = initial !== undefined && { defaultValue: initial };
  const shared = { ...input, ...begun, id, ...(hint && { "aria-describedby": `${id}-hint` }) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* The types of the library know each kind of field alone. */}
      <input ref={field} {...shared} type={type as "text"} />
      {hint && (
        <small id={`${id}-hint`} class="muted">
          {hint}
        </small>
      )}
    </div>
  );
}

/** Why a person does something. It is required, and goes into the log of changes. */
export const ReasonField = ({ hint }: { readonly hint?: string }) => (
  <Field
    label={say("audit.reason")}
    name="reason"
    minLength={3}
    maxLength={500}
    required
    {...(hint && { hint })}
  />
);

/** A field for text of several lines, which is required. */
export function TextArea(props: {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  readonly maxLength: number;
}) {
  const { label, hint, name, maxLength } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={3}
        maxLength={maxLength}
        required
        aria-describedby={`${id}-hint`}
      />
      <small id={`${id}-hint`} class="muted">
        {hint}
      </small>
    </div>
  );
}

export function Select(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        name={props.name}
        value={props.value}
        onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
