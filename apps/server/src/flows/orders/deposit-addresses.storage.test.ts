import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCatalogue } from "../../domain/catalogue/catalogue.ts";
import { depositAddressOf } from "../../domain/wallets/solana.ts";
import { insertAddress } from "../../storage/chains/addresses.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import {
  ETHEREUM,
  makeOrderWorld,
  ORDERS,
  type OrderWorld,
  placeAndAsk,
} from "../../testing/orders.ts";
import { approveRefundAddress } from "./approve-refund-address.ts";
import { refuseOwnRefundAddress } from "./check-destination.ts";
import { recordRefundAddress } from "./record-refund-address.ts";
import { refundOrder } from "./refund.ts";

const THEIRS = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
const { address: OURS } = depositAddressOf(THEIRS, 1);

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
  const address = { networkCode: "solana", accountFingerprint: "aabbccdd", keyIndex: 1 };
  await insertAddress(world.database, { ...address, reference: "1", address: OURS });
});
afterAll(() => world.close());

/** Buys a coin of Solana, of which the coins of the list are only paid out. */
const buy = (receive: string, walletAddress: string, paidOutOnly: readonly string[]) => {
  const catalogue = world.deps.catalogue();
  const currencies = catalogue.currencies.map((currency) =>
    paidOutOnly.includes(currency.reference)
      ? { ...currency, isPaidOutOnly: true as const }
      : currency,
  );
  const own = buildCatalogue({ ...catalogue, currencies });
  return placeAndAsk(
    { deps: { ...world.deps, catalogue: () => own }, openSession: world.openSession },
    { ...ORDERS.buyByBank, receive, amount: "100", request: { walletAddress } },
  );
};

test("a coin that is only paid out is never sent to an address to which an order was paid", async () => {
  await expect(buy("usdc-solana", OURS, ["usdc-solana"])).rejects.toMatchObject({
    code: "INVALID_WALLET_ADDRESS",
    message: expect.stringContaining("Enter an address of your own wallet."),
  });
  const { order } = await buy("usdc-solana", THEIRS, ["usdc-solana"]);
  expect(found(order.walletAddress)).toBe(THEIRS);
});

/** An address of ours on Ethereum, and the same in other letters. */
const OWN = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const SPELLINGS = [OWN, OWN.toLowerCase()];
const refused = {
  code: "INVALID_WALLET_ADDRESS",
  details: [{ field: "refundAddress", issue: "is an address of this service" }],
};

test("coins are never returned to an address to which an order is paid, however it is spelled", async () => {
  const { deps, database } = world;
  const address = { networkCode: "ethereum", accountFingerprint: "aabbccdd", keyIndex: 2 };
  await insertAddress(database, { ...address, reference: "2", address: OWN });
  const { payout } = ORDERS.sell.request;
  const sell = (request: object) =>
    placeAndAsk(world, { ...ORDERS.sell, request: { payout, ...request } });
  const placed = await sell({});
  const key = { merchantId: placed.order.merchantId, orderId: placed.order.id };
  for (const refundAddress of SPELLINGS) {
    await expect(sell({ refundAddress })).rejects.toMatchObject(refused);
    const recorded = recordRefundAddress(deps, { ...key, to: { refundAddress } });
    await expect(recorded).rejects.toMatchObject(refused);
    const refund = refundOrder(deps, { ...key, by: "operator", refundAddress });
    await expect(refund).rejects.toMatchObject(refused);
    const operator = operatorNamed("anna");
    const approval = approveRefundAddress(deps, { ...key, to: { refundAddress }, operator });
    await expect(approval).rejects.toMatchObject(refused);
  }
  await recordRefundAddress(deps, { ...key, to: { refundAddress: ETHEREUM } });
  expect((await world.read(placed)).order.refundAddress).toBe(ETHEREUM);
});

const USDT_CONTRACT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const noWallet = (field: string) => ({
  code: "INVALID_WALLET_ADDRESS",
  details: [{ field, issue: "is not the address of a wallet" }],
});

test.each([
  ["usdt-ethereum", USDT_CONTRACT],
  ["usdc-ethereum", USDT_CONTRACT.toLowerCase()],
  ["usdt-tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"],
  ["trx", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"],
  ["usdc-solana", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
  ["sol", "11111111111111111111111111111111"],
])("an order of %s to %s, which the signer would refuse, is not accepted", async (receive, to) => {
  await expect(buy(receive, to, [])).rejects.toMatchObject(noWallet("walletAddress"));
});

test("coins are never returned to the contract of a token, whoever names it", async () => {
  const { deps } = world;
  const { payout } = ORDERS.sell.request;
  const sell = (request: object) =>
    placeAndAsk(world, { ...ORDERS.sell, request: { payout, ...request } });
  const { order } = await sell({});
  const key = { merchantId: order.merchantId, orderId: order.id };
  const refundAddress = USDT_CONTRACT;
  const operator = operatorNamed("anna");
  for (const attempt of [
    () => sell({ refundAddress }),
    () => recordRefundAddress(deps, { ...key, to: { refundAddress } }),
    () => refundOrder(deps, { ...key, by: "merchant", refundAddress }),
    () => refundOrder(deps, { ...key, by: "operator", refundAddress }),
    () => approveRefundAddress(deps, { ...key, to: { refundAddress }, operator }),
  ]) {
    await expect(attempt()).rejects.toMatchObject(noWallet("refundAddress"));
  }
});

test("a tag of ours is refused with our account, however it is written, and another tag is not", async () => {
  const account = "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59";
  const [tagged, untagged] = [
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu",
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
  ];
  const address = { networkCode: "xrpl", accountFingerprint: "aabbccdd", keyIndex: 3 };
  await insertAddress(world.database, { ...address, reference: "3", address: `${account}?dt=1` });
  const xrp = found(world.deps.catalogue().currencyByCodeOrReference("xrp"));
  const to = (refundAddress: string, refundMemo: string | null) =>
    refuseOwnRefundAddress(world.deps, xrp, { refundAddress, refundMemo });
  await expect(to(account, "1")).rejects.toMatchObject(refused);
  await expect(to(tagged, null)).rejects.toMatchObject(refused);
  await to(account, "2");
  await to(untagged, null);
});

test("a coin that comes back as a deposit may be sent there", async () => {
  expect((await buy("sol", OURS, ["usdc-solana"])).order.walletAddress).toBe(OURS);
});

test("an order that names an address of ours, from before it was refused, is never refunded to it", async () => {
  const refundAddress = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
  const { payout } = ORDERS.sell.request;
  const sell = () => placeAndAsk(world, { ...ORDERS.sell, request: { payout, refundAddress } });
  const [twice, short] = [await sell(), await sell()];
  const address = { networkCode: "ethereum", accountFingerprint: "aabbccdd", keyIndex: 4 };
  await insertAddress(world.database, { ...address, reference: "4", address: refundAddress });

  await world.pay(twice);
  await world.untilStatus(twice, "completed");
  await world.pay(twice);
  await world.pay(short, { units: 7_000_000_000_000_000n });
  await world.untilStatus(short, "in_review");
  const key = { merchantId: short.order.merchantId, orderId: short.order.id };
  await refundOrder(world.deps, { ...key, by: "operator" });
  for (const [view, status] of [
    [twice, "completed"],
    [short, "in_review"],
  ] as const) {
    const ended = await world.until(view, ({ refunds }) => refunds[0]?.state === "void");
    expect(ended.order.status).toBe(status);
    expect(ended.refunds[0]).toMatchObject({ transactionHash: null, voidReason: "rejected" });
    const why = "the refund address is a deposit address of this service";
    expect(ended.timeline.at(-1)?.note).toContain(why);
  }
});
