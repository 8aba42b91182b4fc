import { append } from "./dom.ts";

/** Leaves the page for the checkout. The token travels in the body of a form, never in an address. */
export function submitForm(action: string, fields: Readonly<Record<string, string>>): void {
  const form = append(document.documentElement, "form", { method: "post", action, hidden: true });
  for (const [name, value] of Object.entries(fields)) append(form, "input", { name, value });
  form.submit();
  form.remove();
}
