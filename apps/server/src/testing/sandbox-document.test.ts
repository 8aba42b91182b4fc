import { expect, test } from "vitest";
import { MAGIC_NAMES } from "../sandbox/banks/magic-names.ts";
import { MAGIC_ADDRESSES } from "../sandbox/chains/magic-addresses.ts";
import { SANCTIONED_LAST_NAME } from "../sandbox/screening/screener.ts";
import { sandboxDocument, tableUnder } from "./sandbox-table.ts";

const plain = (cell: string | undefined): string => (cell ?? "").replaceAll("`", "");
const rowsUnder = (heading: string): string[][] =>
  tableUnder(heading).filter(([first]) => first?.startsWith("`"));

test("sandbox.md lists exactly the addresses that do something, and what they do", () => {
  const documented = rowsUnder("Addresses").map(([address, , what]) => [
    plain(address),
    plain(what),
  ]);
  expect(documented).toEqual(MAGIC_ADDRESSES.map(({ address, behaviour }) => [address, behaviour]));
});

test("sandbox.md lists exactly the account holders that do something", () => {
  const documented = rowsUnder("Account holders").map(([name]) => plain(name));
  expect(documented).toEqual(MAGIC_NAMES.map(({ name }) => name));
  expect(sandboxDocument()).toContain(`\`${SANCTIONED_LAST_NAME}\``);
});
