import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Html } from "../pages/html.ts";
import { type Outline, outlineOf, renderMarkdown } from "./markdown.ts";

/** The repository. The relative path is the same from src and from dist. */
const REPOSITORY = fileURLToPath(new URL("../../../../../", import.meta.url));

/** The folders of `docs/` in the order in which they are listed. */
export const SECTIONS = [
  { folder: "tutorial", title: "Tutorials" },
  { folder: "guides", title: "Guides" },
  { folder: "reference", title: "Reference" },
  { folder: "operating", title: "Operating" },
  { folder: "operating/runbooks", title: "Runbooks" },
  { folder: "security", title: "Security" },
  { folder: "internals", title: "Internals" },
  { folder: "decisions", title: "Decisions" },
] as const;

/** Pages outside of `docs/`, by their address. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "guides/node": "sdk/node/README.md",
  "guides/python": "sdk/python/README.md",
  "guides/php": "sdk/php/README.md",
  "guides/react": "sdk/react/README.md",
  "guides/example-shop": "examples/shop/README.md",
  "internals/architecture": "ARCHITECTURE.md",
  "internals/contributing": "CONTRIBUTING.md",
  "security/reporting": "SECURITY.md",
  "internals/changelog": "CHANGELOG.md",
};

/** A page of the documents. Its address is `/docs/<name>`, and that of its Markdown `/docs/<name>.md`. */
export interface Page extends Outline {
  readonly name: string;
  readonly section: string;
  readonly markdown: string;
  /** Renders the page. A list of pages does not call it. */
  render(): Html;
}

/** The values of this installation that replace the placeholders of the pages. */
export interface Placeholders {
  readonly "{base_url}": string;
  readonly [credential: `x-${string}`]: string;
}

/** Reads every page. */
export function readLibrary(placeholders: Placeholders): ReadonlyMap<string, Page> {
  const files = listFiles();
  const nameOf = new Map([...files].map(([name, file]) => [file, name]));
  const pages = [...files].map(([name, file]): [string, Page] => {
    const markdown = filledIn(readFileSync(path.join(REPOSITORY, file), "utf8"), placeholders);
    const outline = outlineOf(markdown);
    const section = name.includes("/") ? path.posix.dirname(name) : name;
    const render = () =>
      renderMarkdown(markdown, outline, (href) => targetOf(href, { file, nameOf }));
    return [name, { ...outline, name, section, markdown, render }];
  });
  return new Map(pages);
}

/** Returns the list of pages for language models (llmstxt.org), with the addresses of this service. */
export const readAgentIndex = (publicUrl: string): string =>
  readFileSync(path.join(REPOSITORY, "llms.txt"), "utf8")
    .replaceAll("{base_url}", publicUrl)
    .replaceAll("](docs/", `](${publicUrl}/docs/`)
    .replaceAll(/\]\((?!https?:)([^)]+)\)/g, (link, file: string) => {
      const name = Object.keys(ELSEWHERE).find((one) => ELSEWHERE[one] === file);
      return name === undefined ? link : `](${publicUrl}/docs/${name}.md)`;
    });

/** Returns the file of each page by the page's name. A README is the page of its folder. */
function listFiles(): ReadonlyMap<string, string> {
  const inDocs = SECTIONS.flatMap(({ folder }) =>
    readdirSync(path.join(REPOSITORY, "docs", folder))
      .filter((file) => file.endsWith(".md"))
      .map((file): [string, string] => {
        const name = file === "README.md" ? folder : `${folder}/${path.basename(file, ".md")}`;
        return [name, `docs/${folder}/${file}`];
      }),
  );
  return new Map([...inDocs, ...Object.entries(ELSEWHERE)]);
}

const filledIn = (text: string, placeholders: Placeholders): string =>
  Object.entries(placeholders).reduce(
    (all, [name, value]) => all.replaceAll(name, () => value),
    text,
  );

interface Place {
  readonly file: string;
  readonly nameOf: ReadonlyMap<string, string>;
}

/** The pictures of the checkout's screens, which `npm run visual` compares. */
const PICTURES = "tests/visual/references/";

/** Returns a picture by the end of its address: its look, and its screen with `.png`. */
export function readPicture(look: string, screen: string): Buffer | undefined {
  if (!/^[a-z-]+\/[a-z-]+\.png$/.test(`${look}/${screen}`)) return undefined;
  const file = path.join(REPOSITORY, PICTURES, look, screen);
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** Links to other pages lead to them. Links to source files have no target here. */
function targetOf(href: string, { file, nameOf }: Place): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [target = "", fragment] = href.split("#");
  const source = path.posix.join(path.posix.dirname(file), target);
  if (source.startsWith(PICTURES)) return `/docs/pictures/${source.slice(PICTURES.length)}`;
  const name = nameOf.get(source.replace(/\/$/, "/README.md"));
  if (name === undefined) return undefined;
  return `/docs/${name}${fragment === undefined ? "" : `#${fragment}`}`;
}
