/** Markup that is safe to send as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => NAMES[character] ?? "");

function print(part: Part): string {
  if (part === false || part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(print).join("");
  return escape(String(part));
}

/** Markup with values in it. Every value is escaped, unless it is markup made the same way. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const [first = "", ...rest] = strings;
  return new Html(rest.reduce((text, next, index) => text + print(parts[index]) + next, first));
}
