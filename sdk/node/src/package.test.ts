import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PACKAGE_VERSION } from "./calls/attempt.ts";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const ROOT = path.join(PACKAGE, "../..");
const execute = promisify(execFile);

let folder: string;
let tarball: string;
let files: readonly string[];

/** Packs the package as for publication and installs it as npm would, without a registry. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-node-"));
  const npm = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await execute("npm", npm, { cwd: PACKAGE });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = path.join(folder, packed.filename);
  files = packed.files.map((file) => file.path);
  const installed = path.join(folder, "node_modules/@exchange/node");
  await mkdir(path.join(folder, "node_modules/@types"), { recursive: true });
  await mkdir(installed, { recursive: true });
  await execute("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  for (const name of ["@types/node", "undici-types"]) {
    await symlink(path.join(ROOT, "node_modules", name), path.join(folder, "node_modules", name));
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const readManifest = async () =>
  JSON.parse(await readFile(path.join(folder, "node_modules/@exchange/node/package.json"), "utf8"));

/** Runs a file in the place of a merchant's own code. */
async function run(name: string, text: string): Promise<string> {
  await writeFile(path.join(folder, name), text);
  const { stdout, stderr } = await execute(process.execPath, [name], { cwd: folder });
  return stdout + stderr;
}

test("it holds the two builds, their types, the licence and the page, and no tests", () => {
  expect(files).toContain("LICENSE");
  expect(files).toContain("README.md");
  for (const build of ["dist", "cjs/dist"]) {
    expect(files).toContain(`${build}/index.js`);
    expect(files).toContain(`${build}/index.d.ts`);
  }
  const strangers = files.filter((file) =>
    /test|snippet|generator|\.map$|buildinfo|src\//.test(file),
  );
  expect(strangers).toEqual([
    "cjs/dist/webhooks/sign-for-test.d.ts",
    "cjs/dist/webhooks/sign-for-test.js",
    "dist/webhooks/sign-for-test.d.ts",
    "dist/webhooks/sign-for-test.js",
  ]);
});

test("it needs nothing and runs nothing when it is installed", async () => {
  const manifest = await readManifest();
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).not.toHaveProperty("peerDependencies");
  expect(manifest).not.toHaveProperty("optionalDependencies");
  expect(manifest).not.toHaveProperty("private");
  expect(Object.keys(manifest.scripts)).toEqual(["generate"]);
  expect(manifest.version).toBe(PACKAGE_VERSION);
});

test("its licence is the repository's", async () => {
  const licence = await readFile(path.join(PACKAGE, "LICENSE"), "utf8");
  expect(licence).toBe(await readFile(path.join(ROOT, "LICENSE"), "utf8"));
});

test("publint finds nothing", async () => {
  const bytes = await readFile(tarball);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('"are the types wrong?" finds no fault in any resolution mode', async () => {
  const attw = path.join(ROOT, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const { stdout } = await execute(process.execPath, [attw, tarball, "--format", "json"]);
  const { analysis, problems } = JSON.parse(stdout);
  expect(analysis.types).toEqual({ kind: "included" });
  const { resolutions } = analysis.entrypoints["."];
  expect(Object.keys(resolutions).sort()).toEqual([
    "bundler",
    "node10",
    "node16-cjs",
    "node16-esm",
  ]);
  expect(problems ?? {}).toEqual({});
});

const USE = `
const client = createExchange({ baseUrl: "https://exchange.example", apiKey: "k", clientId: "c" });
console.log(typeof client.orders.list, typeof webhooks.verify, toUnits(0.1, 2));`;

test("it is imported as an ES module and required as CommonJS", async () => {
  const names = "{ createExchange, toUnits, webhooks }";
  const imported = await run("use.mjs", `import ${names} from "@exchange/node";${USE}`);
  const required = await run("use.cjs", `const ${names} = require("@exchange/node");${USE}`);
  expect([imported, required]).toEqual(Array(2).fill("function function 10n\n"));
});

test("an error of one build is an error of the other", async () => {
  const printed = await run(
    "both.mjs",
    `import { createRequire } from "node:module";
    import * as es from "@exchange/node";
    const cjs = createRequire(import.meta.url)("@exchange/node");
    const errorOf = (make) => { try { make(); } catch (error) { return error; } };
    const failed = (library) => errorOf(() => library.webhooks.constructEvent("", {}, "whsec_" + "A".repeat(43) + "="));
    const client = cjs.createExchange({ baseUrl: "http://127.0.0.1:9", apiKey: "k", clientId: "c", maxRetries: 0 });
    const refused = await client.countries.list().catch((error) => error);
    console.log(
      es.ExchangeError !== cjs.ExchangeError,
      refused instanceof es.ExchangeError,
      refused instanceof es.WebhookError,
      failed(cjs) instanceof es.WebhookError,
      failed(es) instanceof cjs.WebhookError,
      new Error("x") instanceof es.WebhookError,
    );`,
  );
  expect(printed).toBe("true true false true true false\n");
});

const TYPED = `
const client: Exchange = createExchange({ baseUrl: "https://a.example", apiKey: "k", clientId: "c" });
export async function use(): Promise<number> {
  for await (const order of client.orders.list({ status: "completed" })) return order.totalPrice;
  // @ts-expect-error: this is not a status
  client.orders.list({ status: "done" });
  // @ts-expect-error: a quote needs its amount
  void client.quotes.create({ operationType: "B" });
  const { details, isBodyProven } = webhooks.verify({ body: "", headers: {}, secret: "s" });
  const proven: boolean = isBodyProven;
  return proven ? details.orderId : 0;
}
`;

test("its types hold in strict code, as an ES module and as CommonJS, by Node's and a bundler's rules", async () => {
  const text = `import { createExchange, type Exchange, webhooks } from "@exchange/node";${TYPED}`;
  await writeFile(path.join(folder, "typed.mts"), text);
  await writeFile(path.join(folder, "typed.cts"), text);
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "node"];
  const rules = [
    ["--module", "nodenext", "--skipLibCheck", "false", "typed.mts", "typed.cts"],
    ["--module", "esnext", "--moduleResolution", "bundler", "--skipLibCheck", "typed.mts"],
  ];
  for (const rule of rules) {
    const args = [tsc, ...strict, ...rule];
    const { stdout } = await execute(process.execPath, args, { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }
});
