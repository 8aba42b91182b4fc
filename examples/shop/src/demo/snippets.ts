import { readFileSync } from "node:fs";

/** A piece of code that a page offers to copy. */
export interface Snippet {
  readonly title: string;
  /** Where it is from, under `examples/shop`; undefined when it is what this very page was sent. */
  readonly file?: string;
  readonly code: string;
}

export interface Place {
  readonly file: string;
  readonly region: string;
}

/** The lines between `// #region name` and `// #endregion`: what is shown is what runs. */
export function readSnippet(title: string, { file, region }: Place): Snippet {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const lines = source.split("\n");
  const first = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const length = lines.slice(first).findIndex((line) => line.trim() === "// #endregion");
  if (first === -1 || length === -1) throw new Error(`${file} has no region ${region}.`);
  return { title, file, code: dedent(lines.slice(first + 1, first + length)) };
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
}
