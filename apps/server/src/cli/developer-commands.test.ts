import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readPastedRequest } from "./commands/verify.ts";
import { runCommand } from "./main.ts";
import { apiUrlOf } from "./merchant-api.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(words: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const status = await runCommand(words, {
    variables,
    print: (text) => out.push(text),
    printError: (text) => errors.push(text),
    write: async (text) => void out.push(text),
  });
  return { status, out: out.join("\n"), errors: errors.join("\n") };
}

const MERCHANT = { EXCHANGE_CLIENT_ID: "client_dev_A", EXCHANGE_API_KEY: "exk_dev_a" };

describe("a developer's command", () => {
  test.each<[string, readonly string[], NodeJS.ProcessEnv, string]>([
    ["credentials", ["listen", "--forward-to", "http://localhost:1/"], {}, "EXCHANGE_API_KEY"],
    ["a URL", ["trigger", "--forward-to", "ftp://localhost/"], {}, "http or https"],
    ["a URL of the service", ["deliveries", "tail", "--url", "x"], MERCHANT, "is not a URL"],
    ["an event there is", ["trigger", "--event", "OrderLost"], {}, "not an event type"],
    ["a number", ["listen", "--forward-to", "http://a/", "--count", "x"], MERCHANT, "whole number"],
    ["one delivery or a range", ["deliveries", "replay"], MERCHANT, "--id"],
    [
      "a time",
      ["deliveries", "replay", "--endpoint", "a", "--from", "yesterday"],
      MERCHANT,
      "must be a time",
    ],
    [
      "a secret to sign with",
      ["trigger", "--forward-to", "http://a/", "--secret", "abc"],
      {},
      "whsec_ and base64",
    ],
    ["a secret", ["verify", "--file", folder], {}, "EXCHANGE_WEBHOOK_SECRET"],
    ["a file", ["verify", "--file", join(folder, "none"), "--secret", "whsec_"], {}, "be read"],
  ])(
    "that needs %s says so, with an example and not the whole help",
    async (_what, words, variables, sentence) => {
      const { status, errors } = await run(words, variables);
      expect(status).toBe(2);
      expect(errors).toContain(sentence);
      expect(errors).toMatch(/\nExample: exchange .*\nAll options: exchange .* --help$/);
    },
  );

  test("that finds no service says how to name its address", async () => {
    const words = ["deliveries", "replay", "--id", "dlv_1", "--url", "http://127.0.0.1:2"];
    const { status, errors } = await run(words, MERCHANT);
    expect(status).toBe(1);
    expect(errors).toContain("ECONNREFUSED");
    expect(errors).toContain("Start the service, or name its address in EXCHANGE_URL or --url.");
  });

  test.each([
    ["http://localhost:8080", "http://localhost:8080/v1"],
    ["http://localhost:8080/", "http://localhost:8080/v1"],
    ["http://localhost:8080/v1", "http://localhost:8080/v1"],
    ["https://pay.example.com//v1/", "https://pay.example.com/v1"],
    ["https://shop.example/pay", "https://shop.example/pay/v1"],
    ["http://v1", "http://v1/v1"],
    [undefined, "http://localhost:8080/v1"],
  ])("that is given the service's address %s calls %s", (address, url) => {
    expect(apiUrlOf({ one: () => address }, {})).toBe(url);
    expect(apiUrlOf({ one: () => undefined }, { EXCHANGE_URL: address })).toBe(url);
  });

  test.each(["localhost:8080", "ftp://localhost", "x"])("refuses the address %s", (address) => {
    expect(() => apiUrlOf({ one: () => address }, {})).toThrow(`"${address}" is not a URL.`);
  });

  test("verify answers in JSON, and with exit status 1 when a step fails", async () => {
    const file = join(folder, "request.txt");
    writeFileSync(file, "POST / HTTP/1.1\nx-webhook-id: 1\n\n{}\n");
    const { status, out } = await run([
      "verify",
      "--file",
      file,
      "--secret",
      "whsec_AAAA",
      "--json",
    ]);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ ok: false, steps: [{ ok: true }, { ok: false }, {}] });
  });
});

describe("a pasted request", () => {
  test.each([
    ["with a request line", "POST /hook HTTP/1.1\nX-Webhook-Id: a\n\n{}"],
    ["without one", "X-Webhook-Id: a\n\n{}"],
    ["as curl shows it", "> POST /hook HTTP/1.1\n> X-Webhook-Id: a\n\n{}"],
    ["with the line ends of HTTP", "X-Webhook-Id: a\r\n\r\n{}"],
    ["with a line end that an editor added", "X-Webhook-Id:a\n\n{}\n"],
  ])("%s is read", (_how, text) => {
    expect(readPastedRequest(text)).toEqual({ headers: { "x-webhook-id": "a" }, body: "{}" });
  });

  test("keeps its body to the byte, empty lines included", () => {
    const { body } = readPastedRequest('a: b\n\n{"a":\n\n "ü" } \n\n');
    expect(body).toBe('{"a":\n\n "ü" } \n');
  });

  test.each([
    ["no empty line", "a: b\n{}"],
    ["a line that is not a header", "a: b\nnonsense\n\n{}"],
  ])("with %s is refused", (_what, text) => {
    expect(() => readPastedRequest(text)).toThrow(/empty line|not a header/);
  });
});
