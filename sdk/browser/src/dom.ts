/**
 * Appends a new element. It sets properties only: a strict policy of the page forbids style
 * attributes.
 */
export const append = <Tag extends keyof HTMLElementTagNameMap, Properties extends object>(
  parent: Node,
  tag: Tag,
  properties?: Properties,
): HTMLElementTagNameMap[Tag] & Properties =>
  parent.appendChild(Object.assign(document.createElement(tag), properties));

/** Leaves the page for the checkout. The token travels in the body of a form, never in an address. */
export function submitForm(action: string, fields: Readonly<Record<string, string>>): void {
  const form = append(document.documentElement, "form", { method: "post", action, hidden: true });
  for (const [name, value] of Object.entries(fields)) append(form, "input", { name, value });
  form.submit();
  form.remove();
}
