/** Markup that is safe to send. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function print(part: Part): string {
  if (part === false || part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(print).join("");
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Markup with values in it. Every value is escaped, unless `html` made it. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(print)));
