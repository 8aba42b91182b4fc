import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readLibrary, readPicture } from "./library.ts";
import { outlineOf, renderMarkdown } from "./markdown.ts";
import { searchIndex } from "./page.ts";

const library = readLibrary({ "{base_url}": "https://pay.example" });
const pages = [...library.values()];
const hrefsOf = (text: string): string[] =>
  Array.from(text.matchAll(/ href="([^"]+)"/g), ([, href = ""]) => href);

test("every link of every page leads to a page and a heading that exist", () => {
  const dead = pages.flatMap((page) =>
    hrefsOf(page.render().text)
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => {
        const [path = "", id] = href.split("#");
        const target = path === "" ? page : library.get(path.replace("/docs/", ""));
        return !target || (id !== undefined && target.headings.every((one) => one.id !== id));
      })
      .map((href) => `${page.name}: ${href}`),
  );
  expect(dead).toEqual([]);
});

test("the gallery shows every screen of the checkout, with pictures that exist", () => {
  const html = library.get("reference/gallery")?.render().text ?? "";
  const sources = Array.from(html.matchAll(/<img src="([^"]*)"/g), ([, source = ""]) => source);
  const shown = sources.map((source) => source.replace("/docs/pictures/", "").split("/"));
  for (const [look = "", screen = ""] of shown) expect(readPicture(look, screen)).toBeDefined();
  const references = new URL("../../../../../tests/visual/references/", import.meta.url);
  for (const look of ["phone-light", "phone-dark-arabic", "modal-dark"]) {
    const screens = shown.filter(([each]) => each === look).map(([, screen]) => screen);
    // The states of a screen have pictures on phones only.
    expect(new Set(screens)).toEqual(new Set(readdirSync(new URL("modal-dark", references))));
  }
});

test.each([
  ["..", "x.png"],
  ["phone-light", "..%2Fmachine.json"],
  ["phone-light", "amount.svg"],
])("no other file is a picture: %s/%s", (look, screen) => {
  expect(readPicture(look, screen)).toBeUndefined();
});

test("every link to a page of the documents is a link on the site too", () => {
  const lost = pages.flatMap(({ name, markdown, render }) => {
    const links = markdown
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .matchAll(/\]\((?!https?:)[^)#]+\.md(?:#[^)]*)?\)/g);
    const rendered = hrefsOf(render().text).filter((href) => href.startsWith("/docs/"));
    const count = [...links].length;
    return rendered.length >= count ? [] : [`${name}: ${rendered.length} of ${count}`];
  });
  expect(lost).toEqual([]);
});

test("docs/README.md leads to every page but single runbooks and decisions, and to no file that is missing", () => {
  const docs = new URL("../../../../../docs/", import.meta.url);
  const targets = Array.from(
    readFileSync(new URL("README.md", docs), "utf8").matchAll(/\]\(([^)#]+)/g),
    ([, target = ""]) => target,
  );
  const files = ["tutorial", "guides", "reference", "operating", "security", "internals"].flatMap(
    (folder) =>
      readdirSync(new URL(folder, docs))
        .filter((name) => name.endsWith(".md"))
        .map((name) => `${folder}/${name}`),
  );
  expect(files.filter((file) => !targets.includes(file))).toEqual([]);
  expect(targets.filter((target) => !existsSync(new URL(target, docs)))).toEqual([]);
});

test("every page has a title and a summary, and its headings are those that are rendered", () => {
  for (const { name, title, summary, headings, render } of pages) {
    expect([name, title, summary]).toEqual([name, expect.stringMatching(/./), expect.any(String)]);
    const ids = Array.from(render().text.matchAll(/<h[1-4] id="([^"]*)"/g), ([, id]) => id);
    expect([name, ids]).toEqual([name, headings.map(({ id }) => id)]);
  }
});

test("the search knows every page, and is small", () => {
  const index = searchIndex(library);
  for (const { name } of pages) expect(index).toContain(`"name":"${name}"`);
  expect(index.length).toBeLessThan(80_000);
});

test("code blocks with labels that follow each other are tabs, the first of them open", () => {
  const source = "```sh curl\na <b>\n```\n\n```js Node\nb\n```\n\nText\n\n```php PHP\nc\n```\n";
  const html = renderMarkdown(source, outlineOf(source), () => undefined).text;
  const tabs = [...html.matchAll(/<details (open )?name="(tabs-\d)" data-language="(\w+)">/g)];
  expect(tabs.map(([, open, name, label]) => [open, name, label])).toEqual([
    ["open ", "tabs-1", "curl"],
    [undefined, "tabs-1", "Node"],
    ["open ", "tabs-2", "PHP"],
  ]);
  expect(html.match(/class="samples"/g)).toHaveLength(2);
  expect(html).toContain("a &lt;b&gt;");
});

test("headings have the ids that GitHub gives them, and each id is given once", () => {
  const source =
    "# A `code` & [link](x.md)\n\nText.\n\n## What?\n\n```\n# no heading\n```\n\n## What?\n";
  const outline = outlineOf(source);
  expect(outline).toMatchObject({
    title: "A code & link",
    summary: "Text.",
    headings: [{ id: "a-code--link" }, { id: "what" }, { id: "what-1" }],
  });
  const html = renderMarkdown(source, outline, () => undefined).text;
  expect(html).toContain('<h2 id="what-1">');
  expect(html).not.toContain('<a href="x.md"');
});
