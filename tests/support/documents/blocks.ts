import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT, type Service } from "../service/service.ts";

/** A fenced block of a page, as a reader copies it. */
export interface Block {
  /** The name of the page below `/docs`, or the path of a README that the service does not serve. */
  readonly page: string;
  /** The first word after the fence, such as `js`. Empty where there is none. */
  readonly language: string;
  /** The second word, which makes the block a tab. */
  readonly label: string;
  readonly text: string;
}

const FENCED = /^([ ]*)```([^\n]*)\n([^]*?)^\1```$/gm;

/** Returns the blocks of a page. Those of a list are read without its indent. */
export function blocksIn(page: string, markdown: string): readonly Block[] {
  return [...markdown.matchAll(FENCED)].map(([, indent = "", info = "", text = ""]) => {
    const [language = "", label = ""] = info.split(" ");
    return { page, language, label, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") };
  });
}

/** Returns the blocks of a page that the service serves, with its own address in them. */
export async function servedBlocks(service: Service, page: string): Promise<readonly Block[]> {
  const answer = await fetch(`${service.url}/docs/${page}.md`);
  if (answer.status !== 200) throw new Error(`/docs/${page}.md answers ${answer.status}`);
  return blocksIn(page, await answer.text());
}

/** Returns the text of the one block of a served page whose first line begins with these words. */
export async function servedBlock(service: Service, page: string, first: string): Promise<string> {
  return theBlock(await servedBlocks(service, page), first).text;
}

/** Returns the text of a block of a README. */
export const readmeBlock = (file: string, first: string): string =>
  theBlock(readmeBlocks(file), first).text;

export const readmeBlocks = (file: string): readonly Block[] =>
  blocksIn(file, readFileSync(path.join(ROOT, file), "utf8"));

function theBlock(blocks: readonly Block[], first: string): Block {
  const [found, second] = blocks.filter(({ text }) => text.startsWith(first));
  if (found && !second) return found;
  const where = blocks[0]?.page;
  throw new Error(
    `${where} has ${found ? "several blocks that begin" : "no block that begins"} with ${first}`,
  );
}

/** The commands of a block: a line that ends in a backslash goes on in the next. */
export const linesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)# .*$/, "").trim())
    .filter((line) => line !== "");
