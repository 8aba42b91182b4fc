import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordRefundAddress } from "../../apps/server/src/flows/orders/record-refund-address.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { MERCHANT_ID, openSession } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";
import { makePayingWorld, type PayingWorld } from "./world/paying-world.ts";

describe.skipIf(LITECOIND_PATH === "")("payouts to the hot wallet's own addresses", () => {
  let world: PayingCoins;

  beforeAll(async () => {
    world = await makePayingCoins({ payouts: { batch: { outputsMax: 1 } } });
    await world.start();
    await world.fund();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });

  interface Spending {
    readonly vout: readonly { readonly scriptPubKey: { readonly addresses: readonly string[] } }[];
  }

  test("an address of our change, which the chain shows to everybody, is not paid, and the order is refunded", async () => {
    const to = await world.newAddress();
    const paid = await world.buy(to);
    await expect.poll(() => world.inMempool()).toBe(1);
    const [hash] = await world.node.call<string[]>("getrawmempool");
    const { vout } = await world.node.call<Spending>("getrawtransaction", hash, true);
    const addresses = vout.flatMap(({ scriptPubKey }) => scriptPubKey.addresses);
    const change = found(addresses.find((address) => address !== to));
    await world.growToStatus(paid, "completed", () => world.mine(1));
    const before = await world.walletHolds();
    const view = await world.buy(change);
    const rejected = ["in_review", "delivery_rejected", "void", "rejected"];
    await expect.poll(() => world.outcome(view)).toEqual(rejected);
    const notes = (await world.read(view)).timeline.map(({ note }) => note);
    expect(notes).toContain("the payout was rejected: the address is one of our own hot wallet");
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await expect.poll(() => world.status(view)).toBe("refunded");
    await world.mine(1);
    await world.scanned();
    expect(await world.stops()).toEqual([]);
    expect(await world.walletHolds()).toBe(before);
  });
});

describe.skipIf(ANVIL_PATH === "")("refunds to the order's own deposit address", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld();
    await world.start();
  });
  afterAll(() => world?.close());

  // Each refund would be a new deposit and so a new refund, for a network fee each time.
  test("are refused, in any case of its letters", async () => {
    const { deps } = world.service();
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    const { payout } = ORDERS.sell.request;
    const view = await placeAndAsk(place, { ...ORDERS.sell, request: { payout } });
    const address = found(found(view.instruction).address ?? undefined);
    for (const refundAddress of [address, address.toLowerCase()]) {
      const key = { merchantId: MERCHANT_ID, orderId: view.order.id };
      const recorded = recordRefundAddress(deps, { ...key, to: { refundAddress } });
      await expect(recorded).rejects.toMatchObject({ code: "INVALID_WALLET_ADDRESS" });
    }
  });
});
