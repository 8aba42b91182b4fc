import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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

test("a page that uses words, a look, an element and the custom element compiles", async () => {
  const page = `
const button = document.createElement("exchange-button");
button.options = { authenticationToken: async () => "t", appearance: { accent: "#06c", radius: 4 } };
button.addEventListener("exchange:success", () => button.open());
exchange.init({ authenticationToken: "t", operationType: "swap", container: button, appearance: { mode: "dark", logo: "data:image/gif;base64," } });`;
  expect(await faultsIn(page)).toBe("");
});

test("the package of types holds them and the licence, and a page compiles with it", async () => {
  const source = path.dirname(TYPES);
  const run = promisify(execFile);
  const npm = ["pack", "--json", "--dry-run", "--ignore-scripts"];
  const { stdout } = await run("npm", npm, { cwd: source });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const names = files.map((file) => file.path).sort();
  expect(names).toEqual(["LICENSE", "exchange.d.ts", "package.json"]);
  expect(JSON.parse(await readFile(path.join(source, "package.json"), "utf8"))).not.toHaveProperty(
    "private",
  );
  const installed = path.join(folder, "node_modules/@exchange/browser-types");
  await mkdir(path.dirname(installed), { recursive: true });
  await cp(source, installed, { recursive: true });
  const file = path.join(folder, "with-package.ts");
  await writeFile(file, `const state: Exchange.CheckoutState = exchange.state; void state;`);
  const flags = ["--noEmit", "--strict", "--types", "@exchange/browser-types", "--ignoreConfig"];
  await run(process.execPath, [TSC, ...flags, file], { cwd: folder });
});

test.each([
  ["an unknown option", `exchange.init({ authenticationToken: "t", displya: "popup" });`],
  [
    "an unknown operation",
    `exchange.init({ authenticationToken: "t", operationType: "purchase" });`,
  ],
  ["a wrong appearance", `exchange.init({ authenticationToken: "t", appearance: { accent: 7 } });`],
  [
    "a selector as container",
    `exchange.init({ authenticationToken: "t", container: "#checkout" });`,
  ],
  ["an unknown display", `exchange.init({ authenticationToken: "t", display: "tab" });`],
  ["no token", "exchange.init({});"],
  ["an event that is never sent", `exchange.on("orderPlcaed", () => {});`],
])("%s does not compile", async (_what, page) => {
  expect(await faultsIn(page)).toMatch(/error TS/);
});
