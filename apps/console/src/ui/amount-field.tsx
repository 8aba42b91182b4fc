import { useEffect, useState } from "preact/hooks";
import { sayExact, typedAmount } from "../say.ts";
import { Field, type FieldProps } from "./fields.tsx";
import { exactOf } from "./form.ts";

/** Two decimals at least, so that a thousand is not taken for one with three decimals. */
const sayRead = (exact: string): string => sayExact(exact, 2);

/**
 * A field of an amount. It shows the amount that is read where the text is another way to write it: a pasted 1.234 is a
 * thousand in German.
 */
export function AmountField(props: Omit<FieldProps, "inputMode" | "onInput">) {
  const [read, setRead] = useState("");
  useEffect(() => setRead(""), [props.initial]);
  const show = async (text: string): Promise<void> => {
    const exact = await exactOf(text).catch(() => "");
    setRead(exact && [typedAmount(exact), sayRead(exact)].includes(text) ? "" : exact);
  };
  return (
    <div class="choose">
      <Field
        {...props}
        inputMode="decimal"
        onInput={({ currentTarget }) => void show(currentTarget.value.trim())}
      />
      <output class="amount small">{read && `= ${sayRead(read)}`}</output>
    </div>
  );
}
