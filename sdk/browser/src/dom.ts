/**
 * Appends a new element. It sets properties only: a strict policy of the page forbids style
 * attributes.
 */
export const append = <Tag extends keyof HTMLElementTagNameMap, Properties extends object>(
  parent: Node,
  tag: Tag,
  properties?: Properties,
): HTMLElementTagNameMap[Tag] & Properties =>
  Object.assign(parent.appendChild(document.createElement(tag)), properties);
