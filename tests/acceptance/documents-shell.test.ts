import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OrderData, PaymentMethodItem } from "@exchange/contract";
import { webhooks } from "@exchange/node";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { readmeBlock, servedBlock, servedBlocks } from "../support/documents/blocks.ts";
import { contractOf } from "../support/http/api.ts";
import { runProgram, SHELL } from "../support/libraries/interpreters.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  buyChoice,
  customerWith,
  type Ok,
  placeOrder,
  startOrder,
  takeQuote,
} from "../support/orders/purchase.ts";
import { freePort, run } from "../support/service/processes.ts";
import { ROOT } from "../support/service/service.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
const GUIDE = "guides/integrate-the-checkout";
const MANAGE = "guides/manage-webhooks";
const RECEIVER = "guides/try-your-receiver";
const ORDERS = "guides/place-orders-over-the-api";

let folder: string;
/** The demo merchant, whose credentials are in the samples of a `dev` service. */
let demo: Merchant;
let other: Merchant;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-shell-"));
  // The samples run unchanged, so a file tells curl to print the status too, and no progress.
  await writeFile(
    path.join(folder, ".curlrc"),
    'silent\nshow-error\nwrite-out = "\\n%{http_code}\\n"\n',
  );
  const read = (ending: string) =>
    readFileSync(`${service.dataDir}/demo-merchant.${ending}`, "utf8");
  const { clientId } = JSON.parse(read("json")) as { clientId: string };
  const apiKey = read("key").trim();
  demo = { clientId, apiKey, headers: { "x-client-id": clientId, "x-api-key": apiKey } };
  other = await createMerchant(service);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Variables = Readonly<Record<string, string>>;

/** Runs a block as a reader does, in a terminal that has these variables and nothing else. */
async function inShell(block: string, env: Variables = {}): Promise<string> {
  const file = path.join(folder, "block.sh");
  await writeFile(file, block);
  return runProgram({ interpreter: SHELL, file, env: { CURL_HOME: folder, ...env } });
}

/** Runs a block of curl. Returns the status and the answer. */
async function curl(block: string): Promise<{ readonly status: number; readonly body: string }> {
  const [, body = "", status] = /^([^]*)\n(\d{3})\n$/.exec(await inShell(block)) ?? [];
  return { status: Number(status), body };
}

/** Starts a block in the folder of the test, and waits for what it prints. */
async function startBlock(block: string, seen: RegExp, env: Variables) {
  const file = path.join(folder, "start.sh");
  await writeFile(file, block);
  const PATH = `${ROOT}bin:${process.env["PATH"]}`;
  const running = run(["/bin/sh", file], { cwd: folder, env: { PATH, ...env } });
  onTestFinished(() => running.signalGroup("SIGKILL"));
  return running.waitFor(seen);
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};

/** Returns the curl samples of the page of the reference, by operation, as the button copies them. */
async function samplesOfReference(): Promise<ReadonlyMap<string, string>> {
  const page = await (await fetch(`${service.url}/docs/api`)).text();
  const samples = page.matchAll(
    /<details name="samples-(\w+)" data-language="curl"[^>]*>\s*<summary>curl<\/summary><pre[^>]*><code>([^<]*)<\/code>/g,
  );
  return new Map(
    Array.from(samples, ([, operation = "", code = ""]) => [
      operation,
      code.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? ""),
    ]),
  );
}

describe("the curl samples of a service with a demo merchant", () => {
  test("GET samples without an id run as copied and answer 200", async () => {
    const { document } = await contractOf(service);
    const samples = await samplesOfReference();
    const lists = Object.entries(document.paths).flatMap(([address, methods]) => {
      const id = (methods["get"] as { operationId?: string } | undefined)?.operationId ?? "";
      const sample = samples.get(id);
      return address.includes("{") || !sample?.includes("x-api-key") ? [] : [sample];
    });
    expect(lists.length).toBeGreaterThan(4);
    for (const sample of lists) {
      expect(sample).not.toContain(demo.apiKey);
      const { status, body } = await curl(sample);
      expect(status, `${sample}\n${body}`).toBe(200);
    }
  });

  test("the line above them exports the key for the others", async () => {
    const page = await (await fetch(`${service.url}/docs/api`)).text();
    const [, line = ""] = /<code>(export API_KEY=[^<]*)<\/code>/.exec(page) ?? [];
    const printed = await inShell(`${line.replaceAll("&quot;", '"')}\nprintf %s "$API_KEY"`);
    expect(printed).toBe(demo.apiKey);
  });

  test("the README's runs with the addresses of this service", async () => {
    const block = readmeBlock("README.md", "curl ")
      .replaceAll(".data/", `${service.dataDir}/`)
      .replace("http://localhost:8080", service.url);
    expect((await curl(block)).status).toBe(200);
  });

  test("a deposit of the guide pays the order that it names", async () => {
    const choice = await buyChoice(service, demo);
    const path = "/v1/payment-methods?operationType=B&countryCode=CA";
    const { body } = await merchantCall<Ok<PaymentMethodItem[]>>(service, demo, { path });
    const card = body.data.find(({ reference }) => reference === "interac") ?? choice.card;
    const sessionId = newSessionId();
    const made = await createToken(service, demo, { sessionId, customer: { countryCode: "CA" } });
    const customer = customerWith(service, sessionId, made.body.data.accessToken);
    const { quoteId } = await takeQuote(customer, { ...choice, card });
    const { orderId } = (await placeOrder(customer, quoteId)).body.data;
    const instructions = `/v1/checkout/orders/${orderId}/payments`;
    await customer.call({ method: "POST", path: instructions, body: { type: "instructions" } });
    const block = await servedBlock(service, GUIDE, `curl -X POST ${service.url}/v1/sandbox`);
    const answer = await curl(block.replace("1827299346406", String(orderId)));
    expect(answer.status, answer.body).toBe(201);
  });

  test("the guide of webhooks registers an endpoint, whose events its replay counts", async () => {
    const block = await servedBlock(service, MANAGE, "curl ");
    const { status, body } = await curl(block);
    expect(status, body).toBe(201);
    const { id, secret } = (JSON.parse(body) as Ok<{ id: string; secret: string }>).data;
    expect(secret).toMatch(/^whsec_/);
    const rawBody = (await servedBlock(service, MANAGE, "{ ")).replace('"…"', `"${id}"`);
    const replay = { method: "POST", path: "/v1/webhook_deliveries/replay", rawBody };
    expect((await merchantCall(service, demo, replay)).status).toBe(200);
    const gone = { method: "DELETE", path: `/v1/webhook_endpoints/${id}` };
    expect((await merchantCall(service, demo, gone)).status).toBeLessThan(300);
  });
});

/** Begins a request with a body that is never sent to its end. */
function beginRequest(port: number, body: string) {
  const socket = connect(port, "localhost");
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 9999999\r\n\r\n${body}`,
  );
  const isRead = new Promise((resolve) => socket.once("data", resolve));
  const isClosed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => {});
  return { socket, isRead, isClosed };
}

describe("the commands of the guides", () => {
  test("a merchant is created, and the guide's server starts with what was printed", async () => {
    const block = await servedBlock(service, GUIDE, "export PATH=");
    const printed = await inShell(block, service.env as Variables);
    const [line = "", clientId = ""] =
      /^export .* EXCHANGE_CLIENT_ID=(client_dev_\w+) .*$/m.exec(printed) ?? [];
    expect(line).toContain(`EXCHANGE_URL=${service.url} `);
    const program = `import { createServer } from "node:http";\n\nconst { EXCHANGE_URL: url = "${service.url}", EXCHANGE_CLIENT_ID: clientId, EXCHANGE_API_KEY: apiKey, PORT: port = "3000" } = process.env;\nif`;
    await writeFile(path.join(folder, "server.mjs"), await servedBlock(service, GUIDE, program));
    const start = await servedBlock(service, GUIDE, "node server.mjs");
    const PORT = String(await freePort());
    const [origin] = await startBlock(`${line}\n${start}`, /http:\/\/localhost:\d+/, { PORT });
    expect(await (await fetch(origin)).text()).toContain(clientId);
    const token = () => fetch(`${origin}/token`, { method: "POST" }).then(({ status }) => status);
    await expect.poll(token).toBe(200);
  });

  test("the guide's receiver starts with the secret of the endpoint that its command adds", async () => {
    const program = 'import { createHmac, timingSafeEqual } from "node:crypto";';
    await writeFile(path.join(folder, "webhooks.mjs"), await servedBlock(service, GUIDE, program));
    const add = await servedBlock(service, GUIDE, "exchange webhook add");
    const env = { ...service.env, EXCHANGE_CLIENT_ID: other.clientId } as Variables;
    const printed = await inShell(`export PATH="$PWD/bin:$PATH"\n${add}`, env);
    const [line = ""] = /^export EXCHANGE_WEBHOOK_SECRET=whsec_.*$/m.exec(printed) ?? [];
    const block = await servedBlock(service, GUIDE, "node webhooks.mjs");
    const PORT = String(await freePort());
    await startBlock(`${line}\n${block}`, /http:\/\/localhost:\d+/, { PORT });
  });

  test("the guide's receiver takes a webhook after a request that broke off and one that was too large", async () => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
    const program = 'import { createHmac, timingSafeEqual } from "node:crypto";';
    await writeFile(path.join(folder, "webhooks.mjs"), await servedBlock(service, GUIDE, program));
    const block = await servedBlock(service, GUIDE, "node webhooks.mjs");
    const port = await freePort();
    const env = { PORT: String(port), EXCHANGE_WEBHOOK_SECRET: secret };
    const [origin] = await startBlock(block, /http:\/\/localhost:\d+/, env);
    const brokenOff = beginRequest(port, "{");
    await brokenOff.isRead;
    brokenOff.socket.destroy();
    await brokenOff.isClosed;
    await beginRequest(port, " ".repeat(100_000)).isClosed;
    const payload = JSON.stringify(webhooks.testPayload("OrderFulfillment"));
    const { headers } = webhooks.signForTest({ secret, payload });
    const answer = await fetch(origin, { method: "POST", headers, body: payload });
    expect(answer.status).toBe(200);
  });

  test("the program of orders without the popup buys, and refunds the order that was paid short", async () => {
    const blocks = await servedBlocks(service, ORDERS);
    const program = blocks.filter(({ language }) => language === "js").map(({ text }) => text);
    await writeFile(path.join(folder, "order.mjs"), program.join(""));
    const start = (await servedBlock(service, ORDERS, "EXCHANGE_URL="))
      .replace("EXCHANGE_CLIENT_ID=…", `EXCHANGE_CLIENT_ID=${other.clientId}`)
      .replace("EXCHANGE_API_KEY=…", `EXCHANGE_API_KEY=${other.apiKey}`);
    await startBlock(start, /completed in \w{64}[^]*underpaid, refunded 60\n/, {});
    const sold = await merchantCall<{ data: OrderData[] }>(service, other, {
      path: "/v1/orders?limit=2",
    });
    expect(sold.body.data.map(({ status }) => status)).toEqual(["refunded", "completed"]);
  });

  test("a fault is planted", async () => {
    const rawBody = await servedBlock(service, RECEIVER, '{ "fault"');
    const planted = { method: "POST", path: "/v1/sandbox/webhooks/faults", rawBody };
    expect((await merchantCall(service, other, planted)).status).toBe(201);
  });

  test("listen brings an event to the reader's receiver", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const block = (await servedBlock(service, RECEIVER, "export EXCHANGE_URL="))
      .replace("EXCHANGE_CLIENT_ID=…", `EXCHANGE_CLIENT_ID=${other.clientId}`)
      .replace("EXCHANGE_API_KEY=…", `EXCHANGE_API_KEY=${other.apiKey}`)
      .replace("http://localhost:3000/webhooks", receiver.url);
    await startBlock(block, /Signing secret: whsec_/, {});
    await startOrder(service, other, await buyChoice(service, other));
    await receiver.waitForDeliveries(1);
  });

  test("verify accepts a request that was saved", async () => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
    const payload = JSON.stringify(webhooks.testPayload("OrderFulfillment"));
    const { headers } = webhooks.signForTest({ secret, payload });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await writeFile(path.join(folder, "request.txt"), `${lines.join("\n")}\n\n${payload}\n`);
    const block = await servedBlock(service, RECEIVER, "EXCHANGE_WEBHOOK_SECRET=");
    await startBlock(block.replace("whsec_…", secret), /Both signatures hold/, {});
  });
});
