type Element = string | number | null;

/** Uuids, scopes and numbers with a point: what surely needs no quotes, and is not the word null. */
const PLAIN = /^\w+[-.][\w.-]+$/;

/** A list as PostgreSQL reads an array. The driver, given the list, would go through each text several times. */
export const arrayText = (elements: readonly Element[]): string =>
  `{${elements.map(elementText).join(",")}}`;

function elementText(element: Element): string {
  if (typeof element !== "string") return String(element);
  return PLAIN.test(element) ? element : `"${element.replaceAll(/["\\]/g, "\\$&")}"`;
}
