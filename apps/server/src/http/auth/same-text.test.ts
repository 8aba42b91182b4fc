import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameText } from "./same-text.ts";

test("texts are the same when every character is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(isSameText(a, b)).toBe(a === b);
      expect(isSameText(a, a.slice(0, -1) + a.slice(-1))).toBe(true);
      expect(isSameText(a + b, a)).toBe(b === "");
      expect(isSameText(a, a + b)).toBe(b === "");
    }),
  );
});

test("the whole text is read, wherever the first difference is", () => {
  const readOf = (given: string): number => {
    let read = 0;
    const watched = Object.assign(Object("aaaaaaaa"), {
      charCodeAt: (index: number) => {
        read += 1;
        return "aaaaaaaa".charCodeAt(index);
      },
    }) as string;
    isSameText(watched, given);
    return read;
  };
  expect(["baaaaaaa", "aaaaaaab", "aaaaaaaa", "", "a"].map(readOf)).toEqual([8, 8, 8, 8, 8]);
});
