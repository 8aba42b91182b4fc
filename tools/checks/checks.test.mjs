import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkLayers, checkPermissions } from "./layers.mjs";
import { checkRatchets } from "./ratchets.mjs";
import { hashOf, releasedMigrations, releaseFaults } from "./released.mjs";
import { checkSizes } from "./sizes.mjs";
import { checkTidy } from "./tidy.mjs";
import { readTracked } from "./tracked.mjs";

/** Runs a check over a tree that maps paths to texts. */
const over = (check, tree) => check(Object.keys(tree).sort(), (file) => tree[file]);
const layerFaults = (file, text) => over(checkLayers, { [file]: text }).faults;
const tidyFaults = (tree) => over(checkTidy, tree).faults;

describe("layers", () => {
  const SERVER = "apps/server/src";
  test.each([
    [`${SERVER}/domain/a.ts`, `import { readFileSync } from "node:fs";`],
    [`${SERVER}/domain/a.ts`, `import type { Order } from "@exchange/contract";`],
    [`${SERVER}/domain/a.ts`, `export * from "../storage/database.ts";`],
    [`${SERVER}/domain/a.test.ts`, `import { x } from "../sandbox/rates/rate-source.ts";`],
    [`${SERVER}/storage/a.ts`, `import { x } from "../sandbox/cards/processor.ts";`],
    [`${SERVER}/http/a.ts`, `const x = await import("../webhooks/dispatcher.ts");`],
    [`${SERVER}/jobs/a.ts`, `import { x } from "../sandbox/chains/gateway.ts";`],
    [`${SERVER}/flows/a.ts`, `import { x } from "../http/wire.ts";`],
    [`${SERVER}/flows/a.ts`, `import { x } from "undici";`],
    [`${SERVER}/flows/a.ts`, `import { jsonNumber } from "@exchange/contract";`],
    [`${SERVER}/flows/a.ts`, `import { type Scope, type Order } from "@exchange/contract";`],
    [`${SERVER}/flows/a.ts`, `import * as wire from "@exchange/contract";`],
    [`${SERVER}/storage/a.ts`, `import type { JobKind } from "@exchange/contract/admin";`],
    [`${SERVER}/storage/a.ts`, `export { type FoundBy } from "@exchange/contract/admin";`],
    [`${SERVER}/storage/a.ts`, `type X = import("@exchange/contract").Order;`],
    [`${SERVER}/secrets/a.ts`, `type X = import("../flows/deps.ts").Deps;`],
    [`${SERVER}/secrets/a.ts`, `import { x } from "../domain/orders/machine.ts";`],
    [`${SERVER}/storage/a.ts`, `import { x } from "../main.ts";`],
    [`${SERVER}/signer/a.ts`, `import { x } from "../storage/postgres/database.ts";`],
    [`${SERVER}/signer/a.ts`, `import { x } from "../flows/payouts/settle.ts";`],
    [`${SERVER}/signer/a.ts`, `import { x } from "../http/server.ts";`],
    [`${SERVER}/signer/a.ts`, `import { x } from "../config.ts";`],
    [`${SERVER}/signer/a.ts`, `import { x } from "../domain/payouts/release.ts";`],
    [`${SERVER}/signer/a.ts`, `import { connect } from "node:net";`],
    [`${SERVER}/signer/a.ts`, `import { request } from "https";`],
    [`${SERVER}/signer/a.ts`, `import { spawn } from "node:child_process";`],
    [`${SERVER}/signer/a.ts`, `import { Pool } from "pg";`],
    [`${SERVER}/signer/a.ts`, `import { request } from "undici";`],
    [`${SERVER}/signer/a.ts`, `await fetch("https://example.com");`],
    [`${SERVER}/signer/a.ts`, `new globalThis["WebSocket"]("wss://example.com");`],
    [`${SERVER}/signer/a.ts`, `process.getBuiltinModule("net");`],
    [`${SERVER}/signer/a.ts`, `const name = "node:" + "net"; await import(name);`],
    [`${SERVER}/signer/socket.ts`, `import { x } from "node:http";`],
    [`${SERVER}/flows/a.ts`, `import { x } from "../signer/wallets.ts";`],
    [`${SERVER}/adapters/chains/a.ts`, `import { x } from "../../signer/wallets.ts";`],
    ["packages/money/src/a.ts", `import Big from "big.js";`],
    ["sdk/browser/src/a.ts", `import { x } from "@exchange/money";`],
    ["sdk/node/src/a.ts", `import type { x } from "@exchange/contract";`],
    ["sdk/node/src/a.ts", `import { x } from "fastify";`],
    ["sdk/react/src/a.ts", `import type { x } from "@exchange/browser";`],
    ["sdk/react/src/a.tsx", `import { x } from "react-dom";`],
    ["apps/checkout/src/a.tsx", `import { x } from "../../server/src/config.ts";`],
    ["tests/acceptance/a.test.ts", `import { x } from "../../apps/server/src/main.ts";`],
  ])("%s may not say %s", (file, text) => {
    expect(layerFaults(file, text)).toHaveLength(1);
  });

  test.each([
    [`${SERVER}/domain/a.ts`, `import { x } from "@exchange/money"; import "./ports/clock.ts";`],
    [`${SERVER}/secrets/a.ts`, `import type { X } from "../domain/ports/rates.ts";`],
    [`${SERVER}/http/a.ts`, `import { x } from "../flows/deps.ts"; import "fastify";`],
    [`${SERVER}/flows/a.ts`, `import { type Scope, SCOPES as all } from "@exchange/contract";`],
    [`${SERVER}/flows/a.test.ts`, `import { jsonNumber } from "@exchange/contract";`],
    [`${SERVER}/start/a.ts`, `import { x } from "../sandbox/rates/rate-source.ts";`],
    [`${SERVER}/flows/a.test.ts`, `import { x } from "../sandbox/rates/rate-source.ts";`],
    [`${SERVER}/signer/a.ts`, `import "../domain/payouts/release-text.ts"; import "node:crypto";`],
    [`${SERVER}/signer/socket.ts`, `import { createServer } from "node:net";`],
    [`${SERVER}/adapters/chains/a.ts`, `import type { X } from "../../signer/protocol.ts";`],
  ])("%s may say %s", (file, text) => {
    expect(layerFaults(file, text)).toEqual([]);
  });

  test("an import in a comment or a string is not an import", () => {
    const text = `// import { x } from "node:fs";\nexport const x = 'import "node:fs"';`;
    expect(layerFaults("apps/server/src/domain/a.ts", text)).toEqual([]);
  });

  test("a cycle between two files of one room is found", () => {
    const a = "packages/money/src/a.ts";
    const b = "packages/money/src/b.ts";
    const { faults } = over(checkLayers, { [a]: `import "./b.ts";`, [b]: `import "./a.ts";` });
    expect(faults).toEqual([`import cycle: ${a} → ${b} → ${a}`]);
  });

  test("a check that read no module is red", () => {
    expect(over(checkLayers, { "README.md": "" }).faults).toHaveLength(1);
  });

  const neededFaults = (room, tree) =>
    over(checkPermissions, tree).faults.filter((fault) => fault.startsWith(`room "${room}"`));

  test("a word that no file needs is a fault", () => {
    const file = `${SERVER}/secrets/a.ts`;
    const text = `import "node:fs"; import { x } from "pino"; import "../domain/ports/clock.ts";`;
    expect(neededFaults("secrets", { [file]: text })).toEqual([]);
    expect(neededFaults("secrets", { [file]: `import "node:fs"; import "pino";` })).toEqual([
      'room "secrets" may import "ports", and no file needs it',
    ]);
    // A test may set any scene without the list of its room.
    const asTest = { [`${SERVER}/secrets/a.test.ts`]: text };
    expect(neededFaults("secrets", asTest)).toHaveLength(3);
  });

  test("a name of the contract that no file takes is a fault", () => {
    const text = `import type { ControlAction } from "@exchange/contract/admin";`;
    const faults = neededFaults("storage", { [`${SERVER}/storage/a.ts`]: text }).join();
    expect(faults).toContain('"contract ChangeTopic"');
    expect(faults).not.toContain('"contract ControlAction"');
  });

  test("a file that cannot be parsed is an error, not a silence", () => {
    expect(() => layerFaults("packages/money/src/a.ts", "import {")).toThrow();
  });
});

describe("tidy", () => {
  test.each([
    ["a refused name", { "packages/money/src/string-utils.ts": "" }],
    ["a refused folder", { "packages/common/a.ts": "" }],
    ["a capital in a file name", { "packages/money/src/Money.ts": "" }],
    ["a capital in the name of a PHP file that is not a class", { "sdk/php/Caller.php": "" }],
    ["a marker", { "a.ts": `// TO${"DO"}: later` }],
    ["a registry address", { "notes.md": `https://registry.${"npmjs"}.org/x` }],
    ["a suppression without a reason", { "a.ts": "// oxlint-disable-next-line max-lines" }],
    ["a silenced compiler", { "a.ts": "// @ts-ignore: because" }],
    ["a numbered title", { "a.test.ts": `test("${"H"}1: a refund is paid once", () => {});` }],
    [
      "a title with a section",
      { "a.test.ts": `test("${"4"}.8: help is one tap away", () => {});` },
    ],
    ["a package without a README", { "packages/money/package.json": "{}" }],
    ["an open version", { "package.json": `{"dependencies":{"pg":"^8.0.0"}}` }],
    ["a page that does not exist", { "a.ts": `// Ids are ordered (docs/${"decisions"}/none.md).` }],
    ["a gap in the migrations", { "s/migrations/0001_a.sql": "", "s/migrations/0003_b.sql": "" }],
  ])("%s is one fault", (_title, tree) => {
    expect(tidyFaults(tree)).toHaveLength(1);
  });

  test.each([
    [{ private: true }, 30],
    [{}, 60],
  ])("the README of a package with %j has at most %i lines", (manifest, linesMax) => {
    const tree = (lines) => ({
      "packages/money/package.json": JSON.stringify(manifest),
      "packages/money/README.md": "line\n".repeat(lines),
    });
    expect(tidyFaults(tree(linesMax + 1))).toHaveLength(1);
    expect(tidyFaults(tree(linesMax))).toEqual([]);
  });

  test("a suppression with its reason is accepted", () => {
    const text = "// oxlint-disable-next-line max-params -- Fastify calls it with four";
    expect(tidyFaults({ "a.ts": text })).toEqual([]);
  });

  test("a check that looked at nothing is red", () => {
    expect(tidyFaults({})).toHaveLength(1);
  });

  test("a migration of the last release may not be edited or removed", () => {
    const [unchanged, edited, removed] = ["a", "b", "c"].map((name) => `s/migrations/${name}.sql`);
    const released = new Map(
      [unchanged, edited, removed].map((file) => [file, hashOf("select 1;")]),
    );
    const tree = { [unchanged]: "select 1;", [edited]: "select 2;", "s/migrations/d.sql": "" };
    const faults = releaseFaults(Object.keys(tree), (file) => tree[file], released);
    expect(faults).toEqual([expect.stringContaining(edited), expect.stringContaining(removed)]);
  });

  test("the migrations of the last release are found in git's history", () => {
    const [file, hash] = [...releasedMigrations()][0] ?? [];
    expect(hash).toBe(hashOf(readTracked(file)));
  });
});

describe("ratchets", () => {
  const faultsIn = (tree, allowed = {}) =>
    checkRatchets(Object.keys(tree).sort(), (file) => tree[file], allowed);
  const SERVER = "apps/server/src";
  const docstring = (...words) => `/** ${words.join(" ")} */\nexport const x = 1;`;

  test.each([
    ["a docstring", "a.ts", docstring("What", "it is."), 1],
    ["a docstring", "a.ts", docstring("Gives", "it."), 1],
    ["a docstring of several lines", "a.ts", "/**\n * Whoever calls it.\n */\nlet x;", 2],
    ["a later sentence of a docstring", "a.ts", "/**\n * It is `x`. What\n * is it.\n */", 2],
    ["an item of a docstring", "a.ts", "/**\n * Two things:\n *\n * - What it is\n */", 4],
    ["a line comment", "a.mjs", "let x;\nx = 1; // Gives it", 2],
    ["a later line of a comment", "a.tsx", "// It is\n// so.\n// Who asks is answered.", 3],
    ["a paragraph of a page", "a.md", "# A\n\nIt is so (it is.) What is it.", 3],
    ["an item of a page", "a.md", "- It is.\n- **What it is.**", 2],
    ["a cell of a page", "a.md", "| A | B |\n|---|---|\n| a | What it is. |", 3],
  ])(
    "%s has a sentence that begins with a word of these: %s says %j",
    (_title, file, text, line) => {
      expect(faultsIn({ [file]: text })).toEqual([expect.stringContaining(`${file}:${line}: `)]);
    },
  );

  test.each([
    ["a verb", "a.ts", docstring("Returns", "what it gives. It says", "what", "it is.")],
    ["a question", "a.ts", "// It is so.\n// What is it? Who knows?"],
    ["a text", "a.ts", `const x = "// What it is";`],
    ["a heading", "a.md", "## What you see\n\nIt."],
    ["the title of a column", "a.md", "| A | What it is |\n|---|---|\n| a | What is it? |"],
    ["a block of code", "a.md", "It:\n\n```\nWhat it is.\n```\n"],
    ["a quotation", "a.md", `Do not begin with *What*, as in "What is stopped."`],
  ])("%s may begin so: %s says %j", (_title, file, text) => {
    expect(faultsIn({ [file]: text })).toEqual([]);
  });

  test("a small file with one importer is one fault, with two it is accepted", () => {
    const small = { "a/small.ts": "export const x = 1;", "a/one.ts": 'import "./small.ts";' };
    expect(faultsIn(small)).toHaveLength(1);
    expect(faultsIn({ ...small, "a/two.ts": 'import "./small.ts";' })).toEqual([]);
    expect(faultsIn({ ...small, "a/small.ts": "export {};\n".repeat(40) })).toEqual([]);
  });

  test("a small file that is loaded later, or that only a test imports, is accepted", () => {
    const small = { "a/small.ts": "export const x = 1;" };
    expect(faultsIn({ ...small, "a/one.ts": 'await import("./small.ts");' })).toEqual([]);
    expect(faultsIn({ ...small, "a/one.test.ts": 'import "./small.ts";' })).toEqual([]);
  });

  test.each([
    [`${SERVER}/http/a.ts`, `app.server.removeListener("request", route);`],
    [`${SERVER}/http/a.ts`, `const [route] = app.server.listeners("request");`],
    [`${SERVER}/storage/a.ts`, `const SETTINGS = "set ${"enable_seqscan"} = off";`],
    [`${SERVER}/storage/a.ts`, "client.connection.stream.cork();"],
    [`${SERVER}/flows/a.ts`, "const seen = new WeakMap<Database, Seen>();"],
    [`${SERVER}/domain/a.ts`, "const seen = new Map<Database, Seen>();"],
    [`${SERVER}/http/a.ts`, `import { x } from "../sandbox/books.ts";`],
  ])("a second road is a fault: %s says %s", (file, text) => {
    expect(faultsIn({ [file]: text })).not.toEqual([]);
  });

  test.each([
    [`${SERVER}/start/a.ts`, `import { x } from "../sandbox/books.ts";`],
    [`${SERVER}/http/a.ts`, "const answers = new Map<string, string>();"],
  ])("one road is accepted: %s says %s", (file, text) => {
    expect(faultsIn({ [file]: text })).toEqual([]);
  });

  test("a folder has at most the faults that it is allowed", () => {
    const tree = { [`${SERVER}/a.ts`]: docstring("What"), "sdk/node/src/a.ts": docstring("What") };
    expect(faultsIn(tree, { sentence: { "apps/server": 1, "sdk/node": 1 } })).toEqual([]);
    expect(faultsIn(tree, { sentence: { "apps/server": 1 } })).toHaveLength(1);
  });
});

describe("sizes", () => {
  const root = mkdtempSync(path.join(tmpdir(), "sizes-"));
  writeFileSync(path.join(root, "a.js"), "const x = 1;".repeat(10));
  const budget = (pattern, bytesMax) => [{ what: "it", folder: ".", pattern, bytesMax }];

  test("a file over its budget is one fault", () => {
    expect(checkSizes(budget(/\.js$/, 10), root).faults).toHaveLength(1);
    expect(checkSizes(budget(/\.js$/, 1000), root).faults).toEqual([]);
  });

  test("files that are never loaded together have a budget each", () => {
    writeFileSync(path.join(root, "b.js"), "const y = 2;".repeat(10));
    const one = checkSizes(budget(/^a\.js$/, 0), root).faults[0] ?? "";
    const bytes = Number(/\d+/.exec(one)?.[0]);
    const both = budget(/\.js$/, bytes);
    expect(checkSizes(both, root).faults).toHaveLength(1);
    expect(checkSizes([{ ...both[0], each: true }], root).faults).toEqual([]);
  });

  test("what a browser loads keeps its budgets", () => {
    expect(checkSizes().faults).toEqual([]);
  });

  test("a front end that was not built is one fault", () => {
    expect(checkSizes(budget(/\.css$/, 1000), root).faults).toHaveLength(1);
  });
});
