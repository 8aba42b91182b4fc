import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS, runCommand } from "./main.ts";

async function run(words: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const lines = { out: "", errors: "" };
  const status = await runCommand(words, {
    variables,
    print: (text) => {
      lines.out += text;
    },
    printError: (text) => {
      lines.errors += text;
    },
  });
  return { status, ...lines };
}

test("--version prints the version of the release", async () => {
  const manifest = JSON.parse(readFileSync("apps/server/package.json", "utf8"));
  expect(await run(["--version"])).toEqual({ status: 0, out: manifest.version, errors: "" });
});

describe("health", () => {
  const paths: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(status).end("{}");
  });
  let port: string;
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    port = String((server.address() as AddressInfo).port);
  });
  afterAll(() => {
    server.close();
  });

  test.each([
    ["the port of the probes", "EXCHANGE_HEALTH_PORT", [], "/readyz"],
    ["the port of the probes", "EXCHANGE_HEALTH_PORT", ["--live"], "/livez"],
    ["the port of the API", "PORT", [], "/readyz"],
    ["the port of the API", "PORT", ["--live"], "/healthz"],
  ])("asks %s (%s %j)", async (_where, name, words, path) => {
    status = 200;
    const found = await run(["health", ...words], { HOST: "0.0.0.0", [name]: port });
    expect(found).toMatchObject({ status: 0, errors: "" });
    expect(paths.at(-1)).toBe(path);
  });

  test("ends with 1 when the service is not ready or does not answer", async () => {
    status = 503;
    expect(await run(["health"], { HOST: "127.0.0.1", PORT: port })).toMatchObject({ status: 1 });
    const silent = await run(["health"], { HOST: "127.0.0.1", EXCHANGE_HEALTH_PORT: "1" });
    expect(silent).toMatchObject({ status: 1 });
    expect(silent.out).toContain("did not answer");
  });
});

test("bash completes every command and its options", async () => {
  const { out: script } = await run(["completion"]);
  const complete = (...words: readonly string[]): string[] => {
    const typed = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(exchange ${typed}); COMP_CWORD=${words.length}; _exchange; echo "\${COMPREPLY[*]}"`;
    const shell = spawnSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" });
    expect(shell.stderr).toBe("");
    return shell.stdout.trim().split(" ");
  };
  const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]));
  expect(new Set(complete(""))).toEqual(first);
  expect(complete("payouts", "res")).toEqual(["resolve", "resume"]);
  expect(complete("orders", "find", "--j")).toEqual(["--json"]);
  expect(complete("health", "")).toEqual(["--help", "--json", "--live"]);
});
