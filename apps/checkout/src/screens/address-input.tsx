import type { ComponentChildren } from "preact";
import { describedBy } from "../ui/field.tsx";

interface AddressInputProps {
  /** The field around the control. */
  readonly field: {
    readonly id: string;
    readonly hint?: string | undefined;
    readonly error?: string | undefined;
  };
  readonly value: string;
  readonly readOnly: boolean;
  readonly onValue: (value: string) => void;
  readonly onBlur?: () => void;
  readonly children?: ComponentChildren;
}

/** The control of an address. Two lines show all of it. */
export const AddressInput = (props: AddressInputProps) => (
  <div class="control">
    <textarea
      {...describedBy(props.field)}
      class="mono"
      rows={2}
      dir="ltr"
      autoComplete="off"
      autocapitalize="off"
      spellcheck={false}
      readOnly={props.readOnly}
      value={props.value}
      onInput={(event) => props.onValue(event.currentTarget.value)}
      onBlur={() => props.onBlur?.()}
      onKeyDown={submitOnEnter}
    />
    {props.children}
  </div>
);

/** Submits the form on Enter: an address has one line, although its field can show several. */
function submitOnEnter(
  event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement },
): void {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
