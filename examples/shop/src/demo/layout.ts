import { OPERATIONS } from "./examples.ts";
import { type Html, html } from "./html.ts";

/** The part of a page around what is its own. */
export interface Frame {
  readonly path: string;
  readonly title: string;
  readonly language: "en" | "ar";
  readonly theme: "auto" | "dark";
  readonly skip: string;
  readonly nonce?: string | undefined;
  /** `data-*` of the body, for the page's script. */
  readonly data: Readonly<Record<string, string | undefined>>;
  /** Tags for the head. */
  readonly scripts?: Html;
  readonly main: Html;
  /** What stands beside and below it. */
  readonly rest?: Html;
}

const STYLES = ["base", "shop", "purchase", "developer"];
const LINKS = [...OPERATIONS, { path: "/examples", name: "Examples" }];

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const attributes = (data: Frame["data"]): Html[] =>
  Object.entries(data).map(([name, value]) =>
    value === undefined ? html`` : html` data-${kebab(name)}="${value}"`,
  );

const isCurrent = (link: string, path: string): boolean =>
  link === path || (link === "/examples" && path.startsWith("/examples/"));

const navigation = (path: string): Html => html`<nav aria-label="Shop" lang="en">
    <ul>${LINKS.map(
      (link) =>
        html`<li><a href="${link.path}"${isCurrent(link.path, path) && html` aria-current="page"`}>${link.name}</a></li>`,
    )}</ul>
  </nav>`;

export function renderFrame(frame: Frame): string {
  const { language, theme } = frame;
  return html`<!doctype html>
<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${frame.title} – Corner Coins</title>
<link rel="icon" href="data:,">
${STYLES.map((name) => html`<link rel="stylesheet" href="/${name}.css">\n`)}${frame.scripts}
</head>
<body${attributes(frame.data)}>
<a class="skip" href="#main">${frame.skip}</a>
<header class="top">
  <p class="brand"><span class="mark" aria-hidden="true">◐</span> Corner Coins <span class="badge" lang="en">Demo shop</span></p>
  ${navigation(frame.path)}
</header>
<div class="page">
<main id="main">${frame.main}</main>
${frame.rest}
</div>
<footer lang="en" dir="ltr">This shop sells nothing. It shows how a merchant uses Exchange.</footer>
</body>
</html>
`.text;
}
