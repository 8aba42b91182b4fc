import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const ROOT = path.join(PACKAGE, "../..");
const BUILDS = ["dist", "cjs/dist"];
const execute = promisify(execFile);

let folder: string;
let installed: string;
let tarball: string;
let files: readonly string[];

/** Packs the package as for publication and installs it as npm would, without a registry. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-react-"));
  const npm = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await execute("npm", npm, { cwd: PACKAGE });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = path.join(folder, packed.filename);
  files = packed.files.map((file) => file.path);
  installed = path.join(folder, "node_modules/@exchange/react");
  await mkdir(path.join(folder, "node_modules/@types"), { recursive: true });
  await mkdir(installed, { recursive: true });
  await execute("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  for (const name of ["react", "react-dom", "scheduler", "@types/react", "csstype"]) {
    await symlink(path.join(ROOT, "node_modules", name), path.join(folder, "node_modules", name));
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const readInstalled = (file: string) => readFile(path.join(installed, file), "utf8");

test("it holds the two builds, their types, the licence and the page, and no tests", async () => {
  expect(files).toContain("README.md");
  for (const build of BUILDS) {
    expect(files).toContain(`${build}/index.js`);
    expect(files).toContain(`${build}/index.d.ts`);
  }
  expect(files.filter((file) => /test|\.map$|buildinfo|src\//.test(file))).toEqual([]);
  expect(await readInstalled("LICENSE")).toBe(await readFile(path.join(ROOT, "LICENSE"), "utf8"));
});

test("it needs React and nothing else, and runs nothing when it is installed", async () => {
  const manifest = JSON.parse(await readInstalled("package.json"));
  expect(manifest.peerDependencies).toEqual({ react: ">=18" });
  for (const absent of ["dependencies", "optionalDependencies", "private", "scripts"]) {
    expect(manifest).not.toHaveProperty(absent);
  }
  const ours = files.filter((file) => file.endsWith(".js"));
  const imported = await Promise.all(
    ours.map(async (file) =>
      [...(await readInstalled(file)).matchAll(/(?:from |require\()"([^."][^"]*)"/g)].map(
        ([, name]) => name,
      ),
    ),
  );
  expect(new Set(imported.flat())).toEqual(new Set(["react", "react/jsx-runtime"]));
});

test('the files for the browser begin with "use client"', async () => {
  for (const build of BUILDS) {
    for (const name of ["index", "exchange-button", "use-exchange"]) {
      const text = await readInstalled(`${build}/${name}.js`);
      expect(text, `${build}/${name}.js`).toMatch(/^("use strict";\n)?"use client";\n/);
    }
  }
});

test("it is smaller than 5.0 kB gzip, before anybody minifies it", async () => {
  const modules = files.filter((file) => /^dist\/.*\.js$/.test(file));
  const texts = await Promise.all(modules.map(readInstalled));
  expect(gzipSync(texts.join("\n")).byteLength).toBeLessThanOrEqual(5_000);
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
  expect(Object.keys(analysis.entrypoints["."].resolutions).sort()).toEqual([
    "bundler",
    "node10",
    "node16-cjs",
    "node16-esm",
  ]);
  expect(problems ?? {}).toEqual({});
});

const RENDER = `
const props = { baseUrl: "https://a.example", clientId: "c", env: "dev", authenticationToken: "t" };
console.log(typeof useExchange, renderToString(createElement(ExchangeButton, props, "Buy")));`;

test("it is imported as an ES module and required as CommonJS, and renders", async () => {
  await writeFile(
    path.join(folder, "use.mjs"),
    `import { ExchangeButton, useExchange } from "@exchange/react";
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";${RENDER}`,
  );
  await writeFile(
    path.join(folder, "use.cjs"),
    `const { ExchangeButton, useExchange } = require("@exchange/react");
    const { createElement } = require("react");
    const { renderToString } = require("react-dom/server");${RENDER}`,
  );
  for (const name of ["use.mjs", "use.cjs"]) {
    const { stdout, stderr } = await execute(process.execPath, [name], { cwd: folder });
    expect(stdout + stderr).toBe(
      'function <button data-state="idle" type="button" aria-haspopup="dialog">Buy</button>\n',
    );
  }
});

const TYPED = `
import { ExchangeButton, type ExchangeButtonProps, type ExchangeState, useExchange } from "@exchange/react";
import { useRef } from "react";
const props: ExchangeButtonProps = {
  baseUrl: "https://a.example", clientId: "c", env: "dev",
  authenticationToken: async () => "token",
};
export function Page() {
  const ref = useRef<HTMLButtonElement>(null);
  const { open, state, error } = useExchange(props);
  const current: ExchangeState = state;
  if (error?.code === "script_blocked") return <p>{error.message}</p>;
  return <>
    <ExchangeButton {...props} ref={ref} className="x" disabled data-testid="buy"
      onClick={(event) => event.preventDefault()} onClose={({ outcome }) => outcome === "paid"}>
      Buy
    </ExchangeButton>
    {/* @ts-expect-error: it is always a button */}
    <ExchangeButton {...props} type="submit" />
    {/* @ts-expect-error: there is no such operation */}
    <ExchangeButton {...props} operationType="X" />
    <button onClick={open}>{current}</button>
  </>;
}
`;

/** The programs of a page, as a merchant would copy them. */
async function programsOf(page: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, page), "utf8");
  return Array.from(text.matchAll(/^```tsx\n(.*?)^```$/gms), ([, program = ""]) => program);
}

test("the guide says how the package is packed, which is in no registry", async () => {
  const guide = await readFile(path.join(ROOT, "docs/guides/integrate-the-checkout.md"), "utf8");
  expect(guide).toContain("`npm pack -w @exchange/react`");
  expect(path.basename(tarball)).toMatch(/^exchange-react-.*\.tgz$/);
});

test("its types hold in strict code, as an ES module and as CommonJS, by Node's and a bundler's rules", async () => {
  await writeFile(path.join(folder, "typed.tsx"), TYPED);
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  await mkdir(path.join(folder, "cjs"));
  await writeFile(path.join(folder, "cjs/package.json"), '{ "type": "commonjs" }');
  await writeFile(path.join(folder, "cjs/typed.tsx"), TYPED);
  const pages = ["sdk/react/README.md", "docs/guides/integrate-the-checkout.md"];
  const programs = (await Promise.all(pages.map(programsOf))).flat();
  expect(programs).toHaveLength(3);
  const copied = programs.map((_program, place) => `copied-${place}.tsx`);
  await Promise.all(
    programs.map((program, place) => writeFile(path.join(folder, `copied-${place}.tsx`), program)),
  );
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--jsx", "react-jsx"];
  const bundled = ["typed.tsx", ...copied];
  const rules = [
    ["--module", "nodenext", "--skipLibCheck", "false", "typed.tsx", "cjs/typed.tsx"],
    ["--module", "esnext", "--moduleResolution", "bundler", "--skipLibCheck", ...bundled],
  ];
  for (const rule of rules) {
    const args = [tsc, ...strict, "--types", "react", ...rule];
    const { stdout } = await execute(process.execPath, args, { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }
});
