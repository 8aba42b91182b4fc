import { expect, test } from "vitest";
import { csvFormat } from "./report-format.ts";

const cellsOf = (text: string): string => csvFormat(["cell"]).rows([{ cell: text }]);

test("the head names the columns, and a row has its cells in their order", () => {
  const format = csvFormat(["first", "second", "third"]);
  expect(format.head).toBe("first,second,third\r\n");
  expect(format.rows([{ second: "1.50", first: "a" }])).toBe("a,1.50,\r\n");
  expect(format.rows([])).toBe("");
});

test.each([
  ["a,b", '"a,b"\r\n'],
  ['say "hi"', '"say ""hi"""\r\n'],
  ["two\nlines", '"two\nlines"\r\n'],
  ["two\r\nlines", '"two\r\nlines"\r\n'],
])("the cell %j is quoted as in RFC 4180", (text, line) => {
  expect(cellsOf(text)).toBe(line);
});

test.each([
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"\r\n`],
  ["+49 30 1234", "'+49 30 1234\r\n"],
  ["-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0\r\n"],
  ["@SUM(A1)", "'@SUM(A1)\r\n"],
  ["\t=1", "'\t=1\r\n"],
  ["\r=1", `"'\r'=1"\r\n`],
  ["\n=1", `"'\n'=1"\r\n`],
  ["＝1+1", "'＝1+1\r\n"],
  // Where lists are separated by semicolons, a spreadsheet begins a cell after each.
  ["shop;=cmd|' /C calc'!A0;", "shop;'=cmd|' /C calc'!A0;\r\n"],
  ['shop\n=cmd;"=1', `"shop\n'=cmd;""'=1"\r\n`],
  ["a; @SUM(A1);-2", "a; '@SUM(A1);'-2\r\n"],
])("a cell that a spreadsheet would run, such as %j, begins with an apostrophe", (text, line) => {
  expect(cellsOf(text)).toBe(line);
});

test.each(["-1", "-0.00003", "+2.5", "0", "a=b"])("the cell %j is written as it is", (text) => {
  expect(cellsOf(text)).toBe(`${text}\r\n`);
});
