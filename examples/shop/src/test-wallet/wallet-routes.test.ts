import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../settings.ts";
import { Stage } from "../testing/stage.ts";

const WALLET = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
/** A node that answers what a test says, and records the transactions that it is sent. */
let node: FastifyInstance;
let sent: unknown[];
let balance: string;
let evmAnswers: Record<string, unknown>;
let stage: Stage;
/** A node of coins, and the calls of its wallet. */
let coinNode: FastifyInstance;
let coinCalls: unknown[];
const COIN_ADDRESS = "rltc1qj8a53ae5wyxmy4re58wp5xlqcldw6rclm55auu";

const COIN_ANSWERS: Record<string, unknown> = {
  listlabels: ["", "test-wallet"],
  getaddressesbylabel: { [COIN_ADDRESS]: {} },
  getblockcount: 0,
  getblockhash: "aa",
  getblockheader: { height: 0, hash: "aa", time: 1_700_000_000, nTx: 2 },
  getbalances: { mine: { trusted: 1.5, untrusted_pending: 0.25 } },
  listtransactions: [
    { category: "generate", amount: 50, txid: "00", vout: 0, blockheight: 1 },
    { category: "send", address: "rltc1a", amount: -0.1, txid: "01", vout: 0, blockheight: 1 },
    { category: "receive", address: COIN_ADDRESS, amount: 0.5, txid: "02", vout: 1 },
  ],
  sendtoaddress: "ff",
};

beforeEach(async () => {
  sent = [];
  evmAnswers = {};
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
      ...evmAnswers,
    };
    if (method === "eth_sendTransaction") sent.push(params[0]);
    return { result: answers[method] };
  });
  const testNode = await node.listen({ port: 0, host: "127.0.0.1" });
  coinCalls = [];
  coinNode = Fastify();
  coinNode.post<{ Body: { method: string; params: unknown[] } }>("/*", async (request, reply) => {
    const { method, params } = request.body;
    if (request.headers.authorization !== `Basic ${btoa("shop:word")}`)
      return reply.code(401).send();
    if (method === "sendtoaddress") coinCalls.push([request.url, ...params]);
    const isvalid = params[0] === COIN_ADDRESS;
    return {
      error: null,
      result: method === "validateaddress" ? { isvalid } : COIN_ANSWERS[method],
    };
  });
  const coinUrl = new URL(await coinNode.listen({ port: 0, host: "127.0.0.1" }));
  const testCoinNode = `http://shop:word@${coinUrl.host}/`;
  stage = await Stage.open({ testNode, testCoinNode });
});
afterEach(() => Promise.all([stage.close(), node.close(), coinNode.close()]));

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

test("Litecoin is sent from the customer's wallet in the node", async () => {
  const answer = await pay({ coin: "LTC", amount: "0.5", to: COIN_ADDRESS });
  expect(await answer.json()).toEqual({ hash: "ff" });
  expect(coinCalls).toEqual([["/wallet/customer", COIN_ADDRESS, "0.5"]]);
});

test("the wallet on Litecoin is what the node says of it", async () => {
  balance = "0x0";
  const block = { number: "0x0", hash: "0x1", timestamp: "0x1", transactions: [] };
  evmAnswers = {
    eth_blockNumber: "0x0",
    eth_getBlockByNumber: block,
    txpool_status: { pending: "0x0" },
    eth_getLogs: [],
  };
  const answer = await stage.get("/api/wallet");
  const { wallets } = (await answer.json()) as { wallets: unknown[] };
  expect(wallets[1]).toMatchObject({
    chain: "litecoin",
    address: COIN_ADDRESS,
    coins: [{ code: "LTC", amount: "1.75" }],
    waiting: 1,
    payments: [{ hash: "01", direction: "out", amount: "0.1", counterparty: "rltc1a", block: 1 }],
    blocks: [{ number: 0, transactions: 1 }],
  });
});

test.each([
  [{ coin: "LTC", amount: "1.76", to: COIN_ADDRESS }, "The wallet has 1.75 LTC."],
  [{ coin: "LTC", amount: "1", to: TO }, "That is not an address of this Litecoin chain."],
  [{ coin: "LTC", amount: "0.000000001", to: COIN_ADDRESS }, "with 8 digits after the point"],
  [{ coin: "BTC", amount: "1", to: TO }, "Choose a coin."],
  [{ coin: "ETH", amount: "0", to: TO }, "Write an amount such as 0.05"],
  [{ coin: "ETH", amount: "2", to: TO }, "The wallet has 1 ETH."],
  [{ coin: "ETH", amount: "1", to: "0x12" }, "That is not an Ethereum address."],
  [{ coin: "ETH", amount: "1", to: `0x${"aB".repeat(20)}` }, "The address has a typing error."],
])("%j is refused and nothing is sent", async (body, sentence) => {
  const answer = await pay(body);
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { message: string }).message).toContain(sentence);
  expect([...sent, ...coinCalls]).toEqual([]);
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
  expect(await isFromWallet("sell-litecoin-eur")).toBe(true);
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
  const coins = "http://exchange:w-rd@127.0.0.1:19443/";
  const both = { SHOP_TEST_NODE: local, SHOP_TEST_COIN_NODE: coins };
  expect(read(both)()).toMatchObject({ testCoinNode: coins });
  expect(read({ SHOP_TEST_COIN_NODE: coins })).toThrow("goes with SHOP_TEST_NODE");
  const other = { ...both, SHOP_TEST_COIN_NODE: "http://a:b@node.example:19443/" };
  expect(read(other)).toThrow("SHOP_TEST_COIN_NODE must");
});
