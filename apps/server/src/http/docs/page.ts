import { type Html, html, NOTHING } from "../pages/html.ts";
import { type Page, SECTIONS } from "./library.ts";

/** The parts that differ between pages. */
interface Shell {
  readonly title: string;
  readonly navigation: Html;
  readonly content: Html;
  /** The script of its search, which follows the one of every page. */
  readonly search: "guide.js" | "reference.js";
  readonly head?: Html;
}

/** Renders a page of the documents that loads only its own style and scripts. */
export const shell = ({ title, navigation, content, search, head = NOTHING }: Shell): string =>
  html`<!doctype html>
<html lang="en" class="no-script">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
${head}<script src="/docs/page.js" defer></script>
<script src="/docs/${search}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
${navigation}
</nav>
<main id="content">
${content}
</main>
</body>
</html>
`.text;

/** Renders a page with the list of all pages, and of its own headings. */
export function renderPage(page: Page, library: ReadonlyMap<string, Page>): string {
  const markdown = `/docs/${page.name}.md`;
  return shell({
    title: `${page.title} – Exchange`,
    search: "guide.js",
    head: html`<meta name="description" content="${page.summary}">
<link rel="alternate" type="text/markdown" href="${markdown}">
`,
    navigation: navigation(library, page),
    content: html`<div class="page"><article>
<p class="tools"><a href="${markdown}">This page as Markdown</a></p>
${page.render()}</article>${contentsOf(page)}</div>`,
  });
}

function contentsOf({ headings }: Page): Html {
  const parts = headings.filter(({ level }) => level === 2);
  if (parts.length < 2) return NOTHING;
  return html`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${parts.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ul></nav>`;
}

/** Renders the page that all others can be reached from. */
export function renderHome(library: ReadonlyMap<string, Page>): string {
  return shell({
    title: "Exchange documents",
    search: "guide.js",
    navigation: navigation(library),
    content: html`<h1>Exchange documents</h1>
<p class="lead">Offer your customers crypto purchases, sales, swaps and transfers, on a service that you run yourself.</p>
<ul class="cards">
<li><a href="/docs/tutorial/first-purchase"><strong>Buy in the sandbox</strong></a> From a clone to a completed order.</li>
<li><a href="/docs/guides/integrate-the-checkout"><strong>Integrate the checkout</strong></a> A server, a page and a webhook of your own.</li>
<li><a href="/docs/api"><strong>API reference</strong></a> Each endpoint with its fields, errors and samples.</li>
</ul>
${sectionsOf(library).map(
  ({ title, pages }) =>
    html`<h2>${title}</h2><dl class="pages">${pages.map(
      ({ name, title: own, summary }) =>
        html`<dt><a href="/docs/${name}">${own}</a></dt><dd>${summary}</dd>`,
    )}</dl>`,
)}`,
  });
}

const sectionsOf = (library: ReadonlyMap<string, Page>) =>
  SECTIONS.map(({ folder, title }) => ({
    title,
    // A page for each decision would hide the rest. Their list is a page of its own.
    pages: [...library.values()].filter(
      ({ name, section }) => section === folder && (folder !== "decisions" || name === folder),
    ),
  }));

function navigation(library: ReadonlyMap<string, Page>, current?: Page): Html {
  const here = (name: string): Html =>
    name === current?.name ? html` aria-current="page"` : NOTHING;
  return html`<p class="brand"><a href="/docs">Exchange</a> <span>documents</span></p>
<div class="search" role="search">
<label for="search">Search the documents</label>
<input type="search" id="search" autocomplete="off" spellcheck="false" aria-controls="results">
<output for="search" id="found"></output>
<ul id="results"></ul>
</div>
<details class="menu" open><summary>All pages</summary><ul>
<li><a href="/docs/api">API reference</a></li>
${sectionsOf(library).map(
  ({ title, pages }) =>
    html`<li><span>${title}</span><ul>${pages.map(
      ({ name, title: own }) => html`<li><a href="/docs/${name}"${here(name)}>${own}</a></li>`,
    )}</ul></li>`,
)}
</ul></details>`;
}

/** The most characters of a summary among the results of a search. */
const SUMMARY_MAX = 180;

/** Returns the text, ended at its last whole word where it is too long. */
const shortened = (text: string): string =>
  text.length <= SUMMARY_MAX ? text : `${text.slice(0, text.lastIndexOf(" ", SUMMARY_MAX - 1))}…`;

/** Returns what the search looks in: the headings of every page with their addresses. */
export const searchIndex = (library: ReadonlyMap<string, Page>): string =>
  JSON.stringify(
    [...library.values()].map(({ name, title, summary, headings }) => ({
      name,
      title,
      summary: shortened(summary),
      headings: headings.filter(({ level }) => level > 1).map(({ id, text }) => [id, text]),
    })),
  );
