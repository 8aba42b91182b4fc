import { parseSync } from "oxc-parser";

const CODE = /\.(ts|tsx|mjs|js)$/;
const NOT_HAND_WRITTEN = /\.d\.ts$|\/generated\//;
/** The end of a sentence, with the marks that may close it, or the beginning of a block. */
const BEGINNING = /(?:^|[.!?]["'`)*_]*\s)\s*(What|Who|Whoever|Whatever|Gives)\b/g;
const REFUSED_VERB = "Gives";

/** Returns the same text with spaces instead of what matches, so that each place keeps its index. */
const blank = (text, pattern) =>
  text.replaceAll(pattern, (found) => found.replaceAll(/[^\n]/g, " "));

/** Returns the paragraphs of a file's comments. Line comments that follow each other are one comment. */
function commentsOf(file, text) {
  const blocks = [];
  for (const { type, start, end } of parseSync(file, text).comments) {
    const last = blocks.at(-1);
    const isNext = last?.type === "Line" && /^\n? *$/.test(text.slice(last.end, start));
    if (type === "Line" && isNext) last.end = end;
    else blocks.push({ type, start, end });
  }
  return blocks.flatMap(({ start, end }) => {
    const comment = blank(text.slice(start, end), /^\s*(\/\*+|\*(?!\/)|\/\/)|\*+\/$/gm);
    return paragraphsOf(comment).map((each) => ({ start: start + each.start, text: each.text }));
  });
}

/** Returns the paragraphs, list items and cells of a page, without its code, headings and titles of tables. */
function paragraphsOf(page) {
  const prose = [
    /^[ ]*```[\s\S]*?^[ ]*```/gm,
    /^#.*$/gm,
    /^\|.*\n(?=\|[ :|-]+\|$)/gm,
    /^[ ]*(>|[-*]|\d+\.)[ ]/gm,
    /\*\*/g,
  ].reduce(blank, page);
  const lists = [...page.matchAll(/^[ ]*(>|[-*]|\d+\.)[ ]/gm)].map(({ index }) => index);
  const gaps = [...prose.matchAll(/\n[ ]*\n|\|/g)].map(({ index, 0: gap }) => index + gap.length);
  const starts = [...new Set([0, ...lists, ...gaps])].sort((a, b) => a - b);
  return starts.map((start, index) => ({ start, text: prose.slice(start, starts[index + 1]) }));
}

const isQuestion = (rest) => /^[^.!?]*\?/.test(rest);

/**
 * Returns the sentences of a file's comments, or of a page, that begin with a question word or with "Gives".
 * A question may begin so.
 */
export function sentenceFaults(file, text) {
  if (NOT_HAND_WRITTEN.test(file)) return [];
  const blocks = CODE.test(file) ? commentsOf(file, text) : paragraphsOf(text);
  return blocks.flatMap(({ start, text: block }) =>
    [...block.trimEnd().matchAll(BEGINNING)]
      .filter(({ index, 1: word }) => word === REFUSED_VERB || !isQuestion(block.slice(index + 1)))
      .map(({ index, 0: found, 1: word }) => {
        const at = start + index + found.length - word.length;
        const line = text.slice(0, at).split("\n").length;
        return `${file}:${line}: a sentence begins with "${word}"; begin with a verb or the subject`;
      }),
  );
}
