import { expect, test } from "vitest";
import { html } from "./html.ts";

test("every value is escaped, also between quotes", () => {
  const value = `"><script>'&`;
  expect(html`<a title="${value}">${value}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;&#39;&amp;">&quot;&gt;&lt;script&gt;&#39;&amp;</a>',
  );
});

test("markup made the same way goes in as it is, lists of it one after the other", () => {
  const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${false}${undefined}`.text).toBe(
    "<ul><li>a</li><li>&lt;b&gt;</li></ul>",
  );
});
