import { CallError } from "../api.ts";
import { localeNow } from "../say.ts";

/** Stops the browser from sending a form, and returns its texts by name: trimmed, and empty where there is none. */
export function readForm(event: SubmitEvent): (name: string) => string {
  event.preventDefault();
  return textsOf(event.currentTarget as HTMLFormElement);
}

/** Returns the texts of a form as they are now. */
export function textsOf(form: HTMLFormElement): (name: string) => string {
  const values = new FormData(form);
  return (name) => {
    const value = values.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
}

/** Returns the exact amount that a person typed as their language writes it. An empty field stays empty. */
export async function exactOf(text: string): Promise<string> {
  if (text === "") return text;
  const exact = await import("./typed-amount.ts").then((reader) =>
    reader.readTyped(text, localeNow()),
  );
  if (exact === undefined) throw new CallError("NOT_AMOUNT", "");
  return exact;
}
