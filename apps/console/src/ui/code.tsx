import { useState } from "preact/hooks";
import { say } from "../say.ts";

/** Code to copy. A long line scrolls inside its box, by keyboard too. */
export function Code(props: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(props.text);
    setCopied(true);
  };
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={props.label}>
        <code>{props.text}</code>
      </pre>
      <button type="button" class="button" onClick={() => void copy()}>
        {say("common.copy")}
      </button>
      <span role="status" class="muted small">
        {isCopied && say("common.copied")}
      </span>
    </div>
  );
}
