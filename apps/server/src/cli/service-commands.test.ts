import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
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
  // A busy machine exceeds the command's limit.
  beforeEach(() => {
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  });
  afterEach(() => vi.restoreAllMocks());

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

/** How each shell is asked what it offers after some words, one on a line. */
const SHELLS: Readonly<Record<string, (words: readonly string[], script: string) => string>> = {
  bash: (words, script) => `${script}
COMP_WORDS=(exchange ${quoted(words)}); COMP_CWORD=${words.length}; _exchange; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Outside its line editor zsh has no compadd, which matches the beginning by itself.
  zsh: (words, script) => `compdef() { :; }
compadd() { shift; for word in "$@"; do [[ $word == ${words.at(-1)}* ]] && echo $word; done; }
${script}
words=(exchange ${quoted(words)}); CURRENT=${words.length + 1}; _exchange`,
  fish: (words, script) => `${script}
complete --do-complete "exchange ${words.join(" ")}"`,
};
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");
/** `npm test` names the shells that it found. */
const pathOf = (shell: string): string =>
  process.env[`${shell.toUpperCase()}_PATH`] ?? `/usr/bin/${shell}`;

describe.each(Object.keys(SHELLS))("the completion of %s", (shell) => {
  const scriptOf = async () => (await run(["completion", shell])).out;

  test("offers every command and its options", async () => {
    const script = await scriptOf();
    for (const { name, options } of COMMANDS) {
      const flags = [...Object.keys(options), "json", "help"].map((option) => `--${option}`);
      expect(script).toMatch(new RegExp(`["']${name}["'].*\\s.*${flags.sort().join(" ")}`));
    }
    const json = JSON.parse((await run(["completion", shell, "--json"])).out);
    expect(json).toEqual({ shell, script });
  });

  test.skipIf(!existsSync(pathOf(shell)))(
    `completes commands and options in ${shell}`,
    async () => {
      const script = await scriptOf();
      const complete = (...words: readonly string[]): string[] => {
        const ask = SHELLS[shell]?.(words, script) ?? "";
        const result = spawnSync(pathOf(shell), ["-c", ask], { encoding: "utf8" });
        expect(result.stderr).toBe("");
        return result.stdout.trim().split("\n");
      };
      const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]));
      expect(new Set(complete(""))).toEqual(first);
      expect(complete("payouts", "res")).toEqual(["resolve", "resume"]);
      expect(complete("orders", "find", "--j")).toEqual(["--json"]);
      expect(complete("health", "--")).toEqual(["--help", "--json", "--live"]);
    },
  );
});

test("another shell is refused, and the error names the supported ones", async () => {
  const refused = await run(["completion", "tcsh"]);
  expect(refused.status).toBe(2);
  expect(refused.errors).toContain('"tcsh" is not a supported shell. Use one of: bash, zsh, fish.');
  expect((await run(["completion"])).out).toBe((await run(["completion", "bash"])).out);
});
