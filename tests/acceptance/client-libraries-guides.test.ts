import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { webhooks } from "@exchange/node";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { readmeBlocks, servedBlock } from "../support/documents/blocks.ts";
import {
  isThere,
  makeSampleFolder,
  runProgram,
  SAMPLE_LANGUAGES,
  type SampleLabel,
  withLibrary,
} from "../support/libraries/interpreters.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";

const service = inject("service");
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const BODY = JSON.stringify(webhooks.testPayload("OrderFulfillment"));

/** Prints the statuses for a signed body and for another one. */
const VERIFYING: Partial<Record<SampleLabel, string>> = {
  Node: `const { BODY, HEADERS, SECRET } = process.env;
for (const body of [BODY, BODY + " "]) console.log(receive(body, JSON.parse(HEADERS), SECRET));`,
  Python: `import json, os
for body in (os.environ["BODY"], os.environ["BODY"] + " "):
    print(receive(body.encode(), json.loads(os.environ["HEADERS"]), os.environ["SECRET"]))`,
  PHP: `foreach ([getenv('BODY'), getenv('BODY') . ' '] as $body) {
    echo receive($body, json_decode(getenv('HEADERS'), true), getenv('SECRET')), "\\n";
}`,
};

let folder: string;
let merchant: Merchant;

/** The first block of a page with this label, with the values of this service. */
async function sampleIn(page: string, label: string): Promise<string> {
  const text = await readFile(ROOT + page, "utf8");
  const [, code] = new RegExp(`^\`\`\`\\w+ ${label}\\n([^]*?)^\`\`\``, "m").exec(text) ?? [];
  if (code === undefined) throw new Error(`${page} has no sample in ${label}`);
  return withLibrary(code.replaceAll("{base_url}", service.url));
}

async function runSample(label: SampleLabel, source: string): Promise<string> {
  const { interpreter, ending } = SAMPLE_LANGUAGES[label];
  const file = path.join(folder, `sample.${ending}`);
  // A signature counts for five minutes.
  const { headers } = webhooks.signForTest({ secret: SECRET, payload: BODY });
  const env = {
    EXCHANGE_URL: service.url,
    EXCHANGE_CLIENT_ID: merchant.clientId,
    EXCHANGE_API_KEY: merchant.apiKey,
    EXCHANGE_WEBHOOK_SECRET: SECRET,
    ...{ BODY, SECRET, HEADERS: JSON.stringify(headers) },
  };
  // Its progress would count as a complaint.
  const quiet = ending === "sh" ? source.replace(/^curl/m, "curl -sS") : source;
  await writeFile(file, quiet);
  return runProgram({ interpreter, file, env });
}

describe("the samples of the guides", () => {
  beforeAll(async () => {
    folder = await makeSampleFolder();
    merchant = await createMerchant(service);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  for (const label of Object.keys(SAMPLE_LANGUAGES) as SampleLabel[]) {
    const { interpreter } = SAMPLE_LANGUAGES[label];
    test.skipIf(!isThere(interpreter))(`create a token in ${label}`, async () => {
      const guide = "docs/guides/integrate-the-checkout.md";
      const printed = await runSample(label, await sampleIn(guide, label));
      expect(printed).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
      const path = "/v1/sessions/cart-1042";
      const { body } = await merchantCall<{ data: object }>(service, merchant, { path });
      expect(body.data).toMatchObject({
        lock: { baseAmount: 100 },
        customer: { countryCode: "CA" },
      });
    });

    const verifying = VERIFYING[label];
    if (verifying === undefined) continue;
    test.skipIf(!isThere(interpreter))(`verify a webhook in ${label}`, async () => {
      const sample = await sampleIn("docs/guides/verify-a-webhook.md", label);
      const printed = await runSample(label, `${sample}\n${verifying}\n`);
      const { details } = JSON.parse(BODY) as { details: { orderId: number } };
      expect(printed.trim().split("\n")).toEqual([
        `OrderFulfillment ${details.orderId}`,
        "200",
        "400",
      ]);
    });
  }

  for (const [label, page, call] of [
    ["Python", "sdk/python/README.md", 'print(token_for("7", "100"))'],
    ["PHP", "sdk/php/README.md", "echo tokenFor($exchange, '7', '100');"],
  ] as const) {
    const { interpreter } = SAMPLE_LANGUAGES[label];
    test.skipIf(!isThere(interpreter))(`create a token as ${page} shows`, async () => {
      const [first] = readmeBlocks(page);
      const head = label === "PHP" ? "<?php\n" : "";
      const printed = await runSample(label, `${head}${first?.text}\n${call}\n`);
      expect(printed).toMatch(/^eyJ/);
      const path = "/v1/sessions/cart-7";
      const { body } = await merchantCall<{ data: object }>(service, merchant, { path });
      expect(body.data).toMatchObject({ lock: { baseAmount: 100 } });
    });
  }

  test("verify a webhook with a library of Standard Webhooks", async () => {
    const block = await servedBlock(service, "guides/verify-a-webhook", "import { Webhook }");
    const library = JSON.stringify(import.meta.resolve("standardwebhooks"));
    const program = `${block.replace('"standardwebhooks"', library)}
console.log(event.eventType);`;
    const request = `const { BODY, HEADERS } = process.env;
const request = { headers: JSON.parse(HEADERS) };`;
    const receiveAs = (body: string) => `const readRawBody = async () => ${body};\n`;
    const printed = await runSample("Node", `${request}${receiveAs("BODY")}${program}`);
    expect(printed).toBe("OrderFulfillment\n");
    const forged = runSample("Node", `${request}${receiveAs('BODY + " "')}${program}`);
    await expect(forged).rejects.toThrow("No matching signature found");
  });

  test("verify the documented signature", async () => {
    const block = await servedBlock(service, "guides/verify-a-webhook", "import { createHmac");
    const program = `${block}
const { BODY, HEADERS, SECRET } = process.env;
const [event, headers] = [JSON.parse(BODY), JSON.parse(HEADERS)];
const other = { ...event, details: { ...event.details, orderId: 1 } };
console.log(isGenuine(headers, event, SECRET), isGenuine(headers, other, SECRET));
console.log(isGenuine({ ...headers, "x-webhook-timestamp": "1767225600" }, event, SECRET));`;
    expect(await runSample("Node", program)).toBe("true false\nfalse\n");
  });

  test("the pages of the libraries show the same programs", async () => {
    for (const [page, label] of [
      ["sdk/python/README.md", "Python"],
      ["sdk/php/README.md", "PHP"],
    ] as const) {
      const text = await readFile(ROOT + page, "utf8");
      const sample = await sampleIn("docs/guides/verify-a-webhook.md", label);
      expect(text).toContain(sample.replace("<?php\n", ""));
    }
  });
});
