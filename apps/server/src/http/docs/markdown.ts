import { Marked } from "marked";
import { escapeHtml, Html } from "../pages/html.ts";

/** A heading that a link can lead to. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

/** The parts of a page by which it is listed and found. */
export interface Outline {
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly summary: string;
  readonly headings: readonly Heading[];
}

/** Returns where a link of a page leads on this site; undefined where the target is not served. */
export type LinkTarget = (href: string) => string | undefined;

const CODE_BLOCK = /^```[\s\S]*?^```/gm;
const HEADING = /^(#{1,4}) (.+)$/gm;

/** Reads the outline without rendering the page, because a list of all pages needs all outlines. */
export function outlineOf(source: string): Outline {
  const prose = source.replaceAll(CODE_BLOCK, "");
  const headings: Heading[] = [];
  for (const [, marks = "", words = ""] of prose.matchAll(HEADING)) {
    const text = plainText(words);
    headings.push({ id: uniqueId(headings, text), text, level: marks.length });
  }
  const paragraphs = prose.split(/\n\n+/).filter((block) => /^[\p{L}\p{N}`*[]/u.test(block));
  return {
    title: headings.find(({ level }) => level === 1)?.text ?? "",
    summary: plainText(paragraphs[0] ?? ""),
    headings,
  };
}

/** Renders a page of our own repository, whose Markdown is trusted. Its headings have the ids of the outline. */
export function renderMarkdown(source: string, { headings }: Outline, targetOf: LinkTarget): Html {
  const marked = new Marked();
  let count = 0;
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const { id = "", text = "" } = headings[count++] ?? {};
        const label = escapeHtml(`Link to ${text}`);
        const anchor =
          depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="${label}">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="${escapeHtml(targetOf(href) ?? "")}" alt="${escapeHtml(text)}" loading="lazy">`,
      // A second word after the fence, as in "```sh curl", makes the block a tab of that label.
      code({ text, lang }) {
        const [, label] = lang?.split(" ") ?? [];
        const block = `<pre class="scroll" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
        if (label === undefined) return block;
        const name = escapeHtml(label);
        return `<details data-language="${name}"><summary>${name}</summary>${block}</details>\n`;
      },
    },
    hooks: {
      postprocess: (text) =>
        joinTabs(text)
          .replaceAll("<table>", `${TABLE_FRAME}<table>`)
          .replaceAll("</table>", "</table></div>")
          .replaceAll(/<th(?=[ >])/g, '<th scope="col"'),
    },
  });
  return new Html(marked.parse(source, { async: false }));
}

/** Blocks that follow each other are tabs: a browser keeps one of a name open. The first is open at the start. */
function joinTabs(text: string): string {
  let count = 0;
  return text.replaceAll(/(?:<details data-language=[^]*?<\/details>\n)+/g, (tabs) => {
    const named = tabs.replaceAll("<details ", `<details name="tabs-${++count}" `);
    return `<div class="samples">${named.replace("<details ", "<details open ")}</div>\n`;
  });
}

/** Wide tables scroll in their own frame, also by keyboard. */
const TABLE_FRAME = '<div class="scroll" tabindex="0" role="group" aria-label="Table">';

/** Returns the words of a line without the marks of links, code and emphasis. */
const plainText = (line: string): string =>
  line
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Returns the id that GitHub gives the same heading, so that a link holds in both places. */
function uniqueId(headings: readonly Heading[], text: string): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
  const isTaken = (candidate: string): boolean => headings.some((one) => one.id === candidate);
  let [candidate, number] = [id, 0];
  while (isTaken(candidate)) candidate = `${id}-${++number}`;
  return candidate;
}
