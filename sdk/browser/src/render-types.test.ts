import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const TYPES = fileURLToPath(new URL("../dist/page/exchange.d.ts", import.meta.url));
const TSC = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-types-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the strict compiler's errors for a page that has only this file of types. */
async function faultsIn(page: string): Promise<string> {
  const file = path.join(folder, "page.ts");
  await writeFile(file, `/// <reference path="${TYPES}" />\n${page}`);
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"];
  const compile = promisify(execFile);
  return compile(process.execPath, [TSC, ...flags, "--types", "", "--ignoreConfig", file]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test("a page compiles against the one file of types", async () => {
  const page = `
exchange.configure({ clientId: "client_dev_1", env: "dev", display: "popup", returnUrl: location.href, onExit(error, { outcome }) {
  console.log(error?.code === "token_expired" && error.recoverable, outcome);
} });
const stopHearing: () => void = window.exchange.on("orderPlaced", ({ data }) => console.log(data?.orderId, data?.status === "completed"));
document.addEventListener("exchange:close", ({ detail }) => console.log(detail.result?.order));
async function buy(): Promise<number | undefined> {
  const token = async () => (await (await fetch("/token")).json()).accessToken as string;
  const result = await exchange.init({ authenticationToken: token, operationType: "B", onSuccess: ({ orderId }) => console.log(orderId) });
  stopHearing();
  return result.order?.orderId;
}
void buy();`;
  expect(await faultsIn(page)).toBe("");
});

test.each([
  ["an unknown option", `exchange.init({ authenticationToken: "t", displya: "popup" });`],
  ["an unknown display", `exchange.init({ authenticationToken: "t", display: "tab" });`],
  ["no token", "exchange.init({});"],
  ["an event that is never sent", `exchange.on("orderPlcaed", () => {});`],
])("%s does not compile", async (_what, page) => {
  expect(await faultsIn(page)).toMatch(/error TS/);
});
