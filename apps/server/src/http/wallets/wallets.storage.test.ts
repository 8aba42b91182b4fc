import { ENDPOINTS, type Wallet, type WalletLookupResult } from "@exchange/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../../flows/merchants/create-key.ts";
import { statement } from "../../storage/postgres/database.ts";
import { BITCOIN_ADDRESS, type Ok, openBrowser } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Shop,
} from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";

/** An example address of EIP-55. */
const EVM_ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

let world: HttpWorld;
let shop: Shop;
beforeAll(async () => {
  world = await makeHttpWorld();
});
/** Creates a shop for each test. */
const openShop = async () => {
  shop = await world.addShop();
};
afterAll(() => world.close());

const call = <Body = ErrorReply>(url: string, options: InjectOptions = {}) =>
  world.call<Body>({ url: `/v1/wallets${url}`, headers: shop.headers, ...options });

const save = <Body = Ok<Wallet>>(payload: Record<string, unknown>) =>
  call<Body>("", { method: "POST", payload });

const bitcoin = { walletAddress: BITCOIN_ADDRESS, currencyCode: "BTC" };

test("one is saved, read, listed and removed", async () => {
  await openShop();
  const user = { firstName: "Ada", lastName: "Lovelace" };
  const saved = await save({ ...bitcoin, walletAddress: ` ${BITCOIN_ADDRESS} `, user });
  expect(saved.status).toBe(201);
  expect(faultsOf(ENDPOINTS.saveWallet, saved.body)).toEqual([]);
  const { id } = saved.body.data;
  const wallet = { id, ...bitcoin, user, networkCode: "bitcoin" };
  expect(saved.body.data).toEqual(wallet);
  expect((await call<Ok<Wallet>>(`/${id}`)).body.data).toEqual(wallet);
  expect((await call("")).body).toMatchObject({ data: [wallet], nextCursor: null });
  const removed = await call(`/${id}`, { method: "DELETE" });
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect(removed.headers).not.toHaveProperty("content-type");
  for (const method of ["GET", "DELETE"] as const) {
    const gone = await call(`/${id}`, { method });
    expect([gone.status, gone.body.code]).toEqual([404, "NOT_FOUND"]);
  }
});

test("the same address is the same wallet in any notation, also when saved many times at once", async () => {
  await openShop();
  const evm = { walletAddress: EVM_ADDRESS, currencyCode: "ETH", networkCode: "ethereum" };
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      save(at % 2 ? evm : { ...evm, walletAddress: EVM_ADDRESS.toLowerCase() }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
  const user = { firstName: "Grace", lastName: "Hopper" };
  const named = await save({ ...evm, user });
  expect(named.body.data).toMatchObject({ id: replies[0]?.body.data.id, user });
  expect((await save(evm)).body.data.user).toEqual(user);
  const elsewhere = await save({ ...evm, networkCode: "base" });
  expect(elsewhere.body.data.id).not.toBe(named.body.data.id);
});

test("a key without `read` gets the names that it sent, and never a name that was saved before", async () => {
  await openShop();
  const { id } = (await save({ ...bitcoin, user: { firstName: "Ada", lastName: "Lovelace" } })).body
    .data;
  const limits = { merchantId: shop.clientId, by: operatorNamed("anna"), scopes: ["orders.write"] };
  const { apiKey } = await createKey(world.deps, limits);
  const headers = { ...shop.headers, "x-api-key": apiKey };
  const saveAgain = (payload: object) =>
    call<Ok<Wallet>>("", { method: "POST", headers, payload: { ...bitcoin, ...payload } });
  const unnamed = await saveAgain({});
  expect(faultsOf(ENDPOINTS.saveWallet, unnamed.body)).toEqual([]);
  expect(unnamed.body.data).toMatchObject({ id, user: { firstName: "", lastName: "" } });
  const user = { firstName: "Grace", lastName: "Hopper" };
  expect((await saveAgain({ user })).body.data).toMatchObject({ id, user });
  expect((await call<Ok<Wallet>>(`/${id}`)).body.data.user).toEqual(user);
});

test("the database itself keeps an address once", async () => {
  await openShop();
  await save(bitcoin);
  const copy = statement(
    "test_copy_wallet",
    `insert into wallets (merchant_id, currency_id, wallet_address, address_key)
     select merchant_id, currency_id, wallet_address, address_key from wallets
     where merchant_id = $1`,
  );
  await expect(world.database.query(copy, [shop.clientId])).rejects.toThrow(/unique/);
});

test("another merchant's is not found, and the same address is another wallet there", async () => {
  await openShop();
  const mine = await save(bitcoin);
  await openShop();
  const { id } = mine.body.data;
  expect((await call(`/${id}`)).status).toBe(404);
  expect((await call(`/${id}`, { method: "DELETE" })).status).toBe(404);
  expect((await call("")).body).toMatchObject({ data: [] });
  expect((await save(bitcoin)).body.data.id).not.toBe(id);
});

test("the list comes newest first, page by page", async () => {
  await openShop();
  const ids: number[] = [];
  for (const networkCode of ["ethereum", "base", "arbitrum"]) {
    const currencyCode = "ETH";
    const saved = await save({ walletAddress: EVM_ADDRESS, currencyCode, networkCode });
    ids.unshift(saved.body.data.id);
  }
  const first = await call<{ data: Wallet[]; nextCursor: string }>("?limit=2");
  expect(faultsOf(ENDPOINTS.listWallets, first.body)).toEqual([]);
  const second = await call<{ data: Wallet[]; nextCursor: null }>(
    `?limit=2&cursor=${first.body.nextCursor}`,
  );
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids);
  expect(second.body.nextCursor).toBeNull();
  expect((await call("?cursor=x")).body.code).toBe("INVALID_INPUT");
});

test.each([
  [
    "a broken checksum",
    { ...bitcoin, walletAddress: `${BITCOIN_ADDRESS}x` },
    "INVALID_WALLET_ADDRESS",
  ],
  ["an address of another chain", { ...bitcoin, walletAddress: EVM_ADDRESS }, "NETWORK_MISMATCH"],
  ["a network that the coin is not on", { ...bitcoin, networkCode: "tron" }, "NETWORK_MISMATCH"],
  [
    "an address on several networks",
    { walletAddress: EVM_ADDRESS, currencyCode: "ETH" },
    "NETWORK_REQUIRED",
  ],
  ["a coin nobody knows", { ...bitcoin, currencyCode: "ZZZ" }, "CURRENCY_NOT_FOUND"],
  ["half a name", { ...bitcoin, user: { firstName: "Ada" } }, "INVALID_INPUT"],
  ["a member nobody knows", { ...bitcoin, label: "mine" }, "INVALID_INPUT"],
])("%s is refused", async (_what, payload, code) => {
  await openShop();
  const reply = await save<ErrorReply>(payload);
  expect([reply.status, reply.body.code]).toEqual([400, code]);
});

test("the wallet lookup answers in its documented shape, with one success", async () => {
  const reply = await call<Record<string, unknown>>(
    "/lookup?walletAddress=nowhere&currencyCode=btc",
  );
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    success: false,
    message: expect.any(String),
    wallet: null,
    availableNetworks: [],
    requiresNetworkCode: false,
  });
});

test("the message of a lookup reads well for every coin, and an unknown coin says where coins are listed", async () => {
  const lookup = async (walletAddress: string, currencyCode: string) => {
    const query = `/lookup?walletAddress=${walletAddress}&currencyCode=${currencyCode}`;
    return (await call<{ message: string }>(query)).body.message;
  };
  expect(await lookup(BITCOIN_ADDRESS, "btc")).toBe("This is an address of BTC on Bitcoin.");
  expect(await lookup("nowhere", "eth")).toMatch(/^This is not an address of ETH\. Check /);
  expect(await lookup(BITCOIN_ADDRESS, "none")).toContain("GET /v1/exchange/currencies");
});

test("looking an address up shows the wallet saved for it, to browsers without its names", async () => {
  shop = world.shop;
  const query = `/lookup?walletAddress=${BITCOIN_ADDRESS}&currencyCode=btc`;
  const before = await call<WalletLookupResult>(query);
  expect(faultsOf(ENDPOINTS.lookUpWallet, before.body)).toEqual([]);
  expect(before.body).toMatchObject({ success: true, wallet: null });
  const saved = await save({ ...bitcoin, user: { firstName: "Ada", lastName: "Lovelace" } });
  const wallet = saved.body.data;
  const after = await call<WalletLookupResult>(query);
  expect(after.body.wallet).toEqual(wallet);
  const browser = await openBrowser(world);
  const shown = await browser<WalletLookupResult>(`/wallets${query}`);
  expect(faultsOf(ENDPOINTS.lookUpCheckoutWallet, shown.body)).toEqual([]);
  expect(shown.body.wallet).toEqual({ ...wallet, user: { firstName: "", lastName: "" } });
});

test("a browser sees a saved wallet only with the scope wallet.read", async () => {
  shop = world.shop;
  await save(bitcoin);
  const lookup = async (scope: readonly string[]) => {
    const browser = await openBrowser(world, { scope });
    return browser<WalletLookupResult>(
      `/wallets/lookup?walletAddress=${BITCOIN_ADDRESS}&currencyCode=btc`,
    );
  };
  expect((await lookup(["merchant.read"])).body).toMatchObject({ success: true, wallet: null });
  expect((await lookup(["wallet.read"])).body).toMatchObject({
    success: true,
    wallet: { walletAddress: BITCOIN_ADDRESS },
  });
});
