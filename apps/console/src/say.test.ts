/// <reference types="vite/client" />
import { ROLE_NAMES } from "@exchange/contract/roles";
import { expect, test } from "vitest";

const FILES = import.meta.glob<Readonly<Record<string, string>>>("../locales/*.json", {
  eager: true,
  import: "default",
});
const english = FILES["../locales/en.json"] ?? {};
const valuesIn = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

test.each(Object.entries(FILES))("%s has every text, with the same values", (_file, texts) => {
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect([key, valuesIn(text)]).toEqual([key, valuesIn(english[key] ?? "")]);
    expect(text.trim()).not.toBe("");
  }
});

test("each role has a name", () => {
  for (const role of ROLE_NAMES) expect(english).toHaveProperty([`role.${role}`]);
});
