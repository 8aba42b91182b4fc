import { afterEach, expect, test } from "vitest";
import { answerTable } from "./answer-table.ts";
import { fields, table } from "./table.ts";

const columns = Object.getOwnPropertyDescriptor(process.stdout, "columns");
afterEach(() => {
  Reflect.deleteProperty(process.stdout, "columns");
  if (columns) Object.defineProperty(process.stdout, "columns", columns);
});
const setTerminal = (width: number | undefined): void => {
  Object.defineProperty(process.stdout, "columns", { value: width, configurable: true });
};

const ID = "019a3f0c-5d7e-7b2a-9c1d-4e5f60718293";
const ADDRESS = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
const HEAD = ["PAYOUT", "AMOUNT", "AT", "ADDRESS", "WAITS FOR", "MERCHANT"];
const WAITS = "the rail is stopped until two people have agreed to resume it";
const ROWS = [
  HEAD,
  [ID, "0.00150000 btc", "2026-11-27 12:00:05", ADDRESS, WAITS, "North Shop of the Old Harbour"],
  [ID, "-12.50 eur", "2026-11-27 12:00:06", "", "", "Shop"],
];
/** A shortened text may end with a space, which is left out, so a row may be narrower by one. */
const isFilled = (text: string, width: number): boolean =>
  [width - 1, width].includes(widest(text));
const widest = (text: string): number => Math.max(...text.split("\n").map(({ length }) => length));

test("only text is shortened while that is enough", () => {
  const text = table(ROWS, 170);
  expect(isFilled(text, 170)).toBe(true);
  for (const whole of [ID, "0.00150000 btc", "2026-11-27 12:00:05", ADDRESS, "-12.50 eur"]) {
    expect(text).toContain(whole);
  }
  expect(text).toMatch(/ {2}the rail is stopped\S* [^…]*… {2}North Shop of the Old\S*/);
});

test("when words are short, addresses lose their middle, and row names, amounts and times never change", () => {
  const text = table(ROWS, 120);
  expect(isFilled(text, 120)).toBe(true);
  expect(text).toContain("  the rail is…  ");
  expect(text).not.toContain(ADDRESS);
  expect(text).toMatch(/ bc1q\S+…\S+5mdq /);
  const narrow = table(ROWS, 40);
  for (const whole of [ID, "0.00150000 btc", "2026-11-27 12:00:05", "-12.50 eur"]) {
    expect(narrow).toContain(whole);
  }
});

test("a table that fits is not changed, and the width of a column is that of its widest cell", () => {
  const whole = table(ROWS, Number.POSITIVE_INFINITY);
  expect(table(ROWS, widest(whole))).toBe(whole);
  expect(
    table(
      [
        ["A", "B"],
        ["long words of a text", "1"],
      ],
      13,
    ),
  ).toBe("A                     B\nlong words of a text  1");
});

test("an emoji is not cut in half", () => {
  const text = table(
    [
      ["ID", "NAME"],
      ["1", "🙂 ".repeat(20)],
    ],
    20,
  );
  expect(text).toMatch(/…$/);
  expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
});

test("the width is the terminal's, and output to a file or a program is whole", () => {
  setTerminal(120);
  expect(isFilled(table(ROWS), 120)).toBe(true);
  expect(fields({ address: "words ".repeat(40) })).toHaveLength("address:  ".length + 239);
  const answer = { data: [{ id: ID, reason: WAITS, note: WAITS, address: ADDRESS }] };
  expect(widest(answerTable(answer).split("\n\n")[0] ?? "")).toBeLessThanOrEqual(120);
  expect(answerTable(answer)).toContain("…");
  setTerminal(undefined);
  expect(table(ROWS)).toContain(WAITS);
  expect(table(ROWS)).not.toContain("…");
  expect(answerTable(answer)).toMatch(
    new RegExp(`^ID .* NOTE +ADDRESS\n${ID}.*${WAITS}.*${ADDRESS}$`),
  );
});
