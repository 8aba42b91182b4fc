import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { readTracked, trackedFiles } from "./tracked.mjs";

/** Properties that a person reads or hears. */
const SPOKEN = /^(aria-label|alt|caption|hint|label|placeholder|submit|text|title)$/;
/** Names that are the same in every language: a command, or a header such as webhook-signature. */
const NAMES = /^(exchange demo seed|\w+(-\w+)+)$/;
const isText = (text) => /\p{L}{2,}/u.test(text) && !NAMES.test(text.trim());

/** Returns the texts that a screen would show in one language only. */
function textsIn(file, source) {
  const found = [];
  const add = (text) => isText(text) && found.push(`${file}: ${text.trim()}`);
  new Visitor({
    JSXText: ({ value }) => add(value),
    JSXAttribute: ({ name, value }) => {
      const written = value?.type === "JSXExpressionContainer" ? value.expression : value;
      if (SPOKEN.test(name.name) && typeof written?.value === "string") add(written.value);
    },
  }).visit(parseSync(file, source).program);
  return found;
}

test("the screens of checkout and console hold no text: each is in a file of locales", () => {
  const files = trackedFiles().filter((file) =>
    /^apps\/(checkout|console)\/src\/.*\.tsx$/.test(file),
  );
  expect(files.length).toBeGreaterThan(80);
  const texts = files.flatMap((file) => textsIn(file, readTracked(file)));
  expect(texts).toEqual([]);
});

test("a text in the source of a screen is found", () => {
  const source = `const a = <p title="Two words">Sign in <b aria-label={"Close"}>{say("x")}</b></p>;`;
  expect(textsIn("a.tsx", source)).toEqual(["a.tsx: Two words", "a.tsx: Sign in", "a.tsx: Close"]);
});
