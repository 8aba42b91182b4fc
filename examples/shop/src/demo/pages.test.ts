import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PINNED, Stage } from "../testing/stage.ts";
import { EXAMPLES, type Example } from "./examples.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const PATHS = ["/examples", "/return", ...EXAMPLES.map(({ path }) => path)];
const read = async (path: string): Promise<string> => (await stage.get(path)).text();

/** The pieces of code on a page, as text. */
const codesOf = (page: string): string[] =>
  [...page.matchAll(/<pre [^>]+><code>(.*?)<\/code>/gs)].map(([, code = ""]) =>
    code
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&"),
  );

test.each(PATHS)("%s holds no secret and nothing inline", async (path) => {
  const response = await stage.get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-security-policy")).not.toContain("unsafe");
  // Code on the page is text, not markup.
  const markup = (await response.text()).replaceAll(/<code>.*?<\/code>/gs, "");
  expect(markup).not.toMatch(/exk_|whsec_|<script>|<style| style=| on\w+="/);
});

test.each(EXAMPLES)("$path shows code that stands in the files it names", async ({ path }) => {
  const page = await read(path);
  const codes = codesOf(page);
  expect(codes.length).toBeGreaterThan(5);
  for (const [, file = ""] of page.matchAll(/<code>examples\/shop\/([^<]+)<\/code>/g)) {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const words = source.replaceAll(/\s+/g, " ").replaceAll("export ", "");
    const isThere = codes.some((code) => {
      const [shown = ""] = code.split("\n\ndocument.querySelector(");
      return words.includes(shown.replaceAll(/\s+/g, " ").replaceAll("export ", ""));
    });
    expect(isThere, file).toBe(true);
  }
});

test.each(EXAMPLES)("$path offers products that the server sells", async ({ shelf }: Example) => {
  for (const { id } of shelf.products) expect(await stage.startPurchase(id)).toMatch(/^shop-/);
});

test("the list of examples leads to every page", async () => {
  const page = await read("/examples");
  for (const { path } of EXAMPLES) expect(page).toContain(`href="${path}"`);
});

test("the strict page runs only scripts with the nonce of this one response", async () => {
  const nonces = new Set<string>();
  for (const _visit of [1, 2]) {
    const response = await stage.get("/examples/strict-policy");
    const policy = response.headers.get("content-security-policy") ?? "";
    const [, nonce = ""] = /script-src 'nonce-([^']{20,})' 'strict-dynamic';/.exec(policy) ?? [];
    expect(policy).toContain("require-trusted-types-for 'script'");
    const tags = (await response.text()).split("<code>")[0]?.match(/<script [^>]+>/g) ?? [];
    expect(tags).toHaveLength(2);
    for (const tag of tags) expect(tag).toContain(` nonce="${nonce}"`);
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(2);
});

test("the pinned page names the version and the hash that the service says", async () => {
  const page = await read("/examples/pinned-script");
  const [tag = ""] = codesOf(page);
  expect(tag).toContain(`src="${PINNED.script}" integrity="${PINNED.integrity}" crossorigin=`);
  expect(page.split("</head>")[0]).toContain(tag);
});

test("the return page shows the outcome in its address, and says that only the webhook counts", async () => {
  const page = await read(
    "/return?exchange_outcome=paid&exchange_session=shop-1&exchange_order=42",
  );
  expect(page).toContain("Your payment is complete. Its number is <strong>42</strong>.");
  expect(page).toContain('data-session="shop-1"');
  expect(page).toMatch(/released only by the webhook/);
});

test.each([
  "exchange_outcome=%3Cscript%3Ealert(1)%3C/script%3E",
  "exchange_outcome=constructor",
  "exchange_outcome=__proto__",
  "exchange_session=%22%3E%3Cscript%3E&exchange_order=%3Cb%3E",
])("the page to return to takes no word of ?%s", async (query) => {
  const page = await read(`/return?${query}`);
  expect(page).toContain("There is no checkout to come back from.");
  expect(page).not.toMatch(/<script>|alert\(|native code|object Object|data-session/);
});
