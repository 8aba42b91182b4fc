import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";

test("fields with commas, quotes and line ends are quoted as RFC 4180 has it", () => {
  expect(csvLine(["a", "1.50", ""])).toBe("a,1.50,\r\n");
  expect(csvLine(["a,b", 'say "hi"', "two\nlines", "two\r\nlines"])).toBe(
    '"a,b","say ""hi""","two\nlines","two\r\nlines"\r\n',
  );
});
