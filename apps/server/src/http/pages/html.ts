/** Markup that may be inserted into a page unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** A template that escapes its plain values. Only `Html` is inserted as markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = parts.map((part, index) => write(part) + (strings[index + 1] ?? ""));
  return new Html((strings[0] ?? "") + written.join(""));
}

export const NOTHING = new Html("");

const write = (part: Part): string => {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("");
  return escapeHtml(String(part));
};

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[character] ?? "",
  );

/**
 * Renders the small part of Markdown that descriptions use: paragraphs, numbered lists and code
 * spans.
 */
export function prose(text: string): Html {
  const blocks = text.split(/\n\n+/).map((block) => {
    const items = block.split("\n").filter((line) => /^\d+\. /.test(line));
    if (items.length === 0) return html`<p>${inline(block)}</p>`;
    return html`<ol>${items.map((item) => html`<li>${inline(item.replace(/^\d+\. /, ""))}</li>`)}</ol>`;
  });
  return html`${blocks}`;
}

export const inline = (text: string): Html =>
  new Html(escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>"));
