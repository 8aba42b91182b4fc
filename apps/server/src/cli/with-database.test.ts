import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-nothing-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  "liquidity show",
  "orders list",
  "status",
  "merchant create --name Shop",
  "secrets rewrap --as anna",
  "secrets forget k1 --as anna",
  "migrate status",
  `backup --to ${folder}`,
  "move --to postgres://exchange@127.0.0.1:1/exchange",
])("`%s` refuses a data folder without an installation, and makes none", async (words) => {
  const dataDir = join(folder, "forgotten");
  const errors: string[] = [];
  const status = await runCommand(words.split(" "), {
    variables: { EXCHANGE_DATA_DIR: dataDir },
    print: () => {},
    printError: (text) => errors.push(text),
  });
  expect({ status, errors }).toEqual({
    status: 1,
    errors: [
      `There is no installation in ${dataDir}. Start the service once, or set EXCHANGE_DATA_DIR to that of the service.`,
    ],
  });
  expect(existsSync(dataDir)).toBe(false);
});
