import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../settings.ts";
import { Stage } from "../testing/stage.ts";

const WALLET = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
/** A node that answers what a test says, and records the transactions that it is sent. */
let node: FastifyInstance;
let sent: unknown[];
let balance: string;
let stage: Stage;

beforeEach(async () => {
  sent = [];
  balance = "0xde0b6b3a7640000";
  node = Fastify();
  node.post<{ Body: { method: string; params: unknown[] } }>("/", async ({ body }) => {
    const { method, params } = body;
    const answers: Record<string, unknown> = {
      eth_accounts: [WALLET],
      eth_getBalance: balance,
      eth_call: balance,
      eth_sendTransaction: "0xabc",
      web3_sha3: `0x${"9".repeat(64)}`,
    };
    if (method === "eth_sendTransaction") sent.push(params[0]);
    return { result: answers[method] };
  });
  const testNode = await node.listen({ port: 0, host: "127.0.0.1" });
  stage = await Stage.open({ testNode });
});
afterEach(() => Promise.all([stage.close(), node.close()]));

const TO = `0x${"AB".repeat(20)}`;
const pay = (body: unknown): Promise<Response> => stage.post("/api/wallet/payments", body);

test("ether is sent as the value, and a token as a call of its contract", async () => {
  expect(await (await pay({ coin: "ETH", amount: "0.5", to: TO })).json()).toEqual({
    hash: "0xabc",
  });
  expect((await pay({ coin: "USDT", amount: "60.5", to: TO })).status).toBe(200);
  expect(sent).toEqual([
    { from: expect.any(String), to: TO, value: "0x6f05b59d3b20000", gas: "0x5208" },
    {
      from: expect.any(String),
      to: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      data: `0xa9059cbb${"ab".repeat(20).padStart(64, "0")}${(60_500_000).toString(16).padStart(64, "0")}`,
      gas: "0x186a0",
    },
  ]);
});

test.each([
  [{ coin: "BTC", amount: "1", to: TO }, "Choose a coin."],
  [{ coin: "ETH", amount: "0", to: TO }, "Write an amount such as 0.05"],
  [{ coin: "ETH", amount: "2", to: TO }, "The wallet has 1 ETH."],
  [{ coin: "ETH", amount: "1", to: "0x12" }, "That is not an Ethereum address."],
  [{ coin: "ETH", amount: "1", to: `0x${"aB".repeat(20)}` }, "The address has a typing error."],
])("%j is refused and nothing is sent", async (body, sentence) => {
  const answer = await pay(body);
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { message: string }).message).toContain(sentence);
  expect(sent).toEqual([]);
});

test("a request that is not JSON sends nothing, so another site's form cannot pay", async () => {
  const body = new URLSearchParams({ coin: "ETH", amount: "1", to: TO });
  const answer = await fetch(`${stage.shopUrl}/api/wallet/payments`, { method: "POST", body });
  expect(answer.status).toBe(415);
  expect(sent).toEqual([]);
});

test("a node that has stopped is reported as such", async () => {
  await node.close();
  const answer = await stage.get("/api/wallet");
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain("The test chain does not answer.");
});

test("every page leads to the wallet, and only in a shop with a test chain", async () => {
  const plain = await Stage.open();
  for (const path of ["/", "/examples", "/return", "/wallet"]) {
    expect(await (await stage.get(path)).text(), path).toContain('href="/wallet"');
    const page = await (await plain.get(path)).text();
    expect(page.split("</nav>")[0], path).not.toContain('href="/wallet"');
  }
  expect(await (await plain.get("/wallet")).text()).toContain("npm start -- --chains local");
  expect((await plain.get("/api/wallet")).status).toBe(404);
  await plain.close();
});

test("coins of the test chain are paid from the wallet, and all others are simulated", async () => {
  const isFromWallet = async (productId: string): Promise<unknown> => {
    const answer = await stage.get(`/api/purchases/${await stage.startPurchase(productId)}`);
    return ((await answer.json()) as { isPaidFromTestWallet: boolean }).isPaidFromTestWallet;
  };
  expect(await isFromWallet("sell-tether-eur")).toBe(true);
  expect(await isFromWallet("sell-ethereum")).toBe(true);
  expect(await isFromWallet("sell-bitcoin")).toBe(false);
  expect(await isFromWallet("ethereum-50-eur")).toBe(false);
});

test("a node on another machine, and one outside dev, are refused", () => {
  const env = { EXCHANGE_CLIENT_ID: "c", EXCHANGE_API_KEY: "k", EXCHANGE_WEBHOOK_SECRET: "w" };
  const read = (more: object) => () => readSettings({ ...env, ...more });
  const local = "http://127.0.0.1:8545";
  expect(read({ SHOP_TEST_NODE: local })()).toMatchObject({ testNode: local });
  expect(read({ SHOP_TEST_NODE: "http://127.0.0.1:8545@evil.example" })).toThrow(
    "SHOP_TEST_NODE must",
  );
  expect(read({ SHOP_TEST_NODE: "http://node.example:8545" })).toThrow("SHOP_TEST_NODE must");
  expect(read({ SHOP_TEST_NODE: local, EXCHANGE_ENV: "prod" })).toThrow("EXCHANGE_ENV is prod");
});
