import { useState } from "preact/hooks";
import { t } from "../copy/later.ts";

/** An address is never longer. */
const CHARACTERS_MAX = 256;

/** Pastes an address that the customer has copied, where the browser lets a page read the clipboard. */
export function PasteButton({ onPaste }: { readonly onPaste: (text: string) => void }) {
  const [isAllowed, setAllowed] = useState(typeof navigator.clipboard?.readText === "function");
  const paste = async (): Promise<void> => {
    try {
      const text = (await navigator.clipboard.readText()).trim();
      // A link such as bitcoin:1A1z…?amount=1 holds the address between its scheme and its query.
      const address = /^(?:[a-z]+:)?([^?]+)/i.exec(text)?.[1] ?? "";
      if (address.length <= CHARACTERS_MAX) onPaste(address);
    } catch {
      // The customer or the page around the frame said no. The keyboard can still paste.
      setAllowed(false);
    }
  };
  if (!isAllowed) return null;
  return (
    <button type="button" class="quiet-button paste" onClick={() => void paste()}>
      {t("wallet.paste")}
    </button>
  );
}
