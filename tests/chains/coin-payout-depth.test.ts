import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { COIN_NETWORK } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { DEPTH, FLOAT, makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";

const PAYOUT_DEPTH = 2;

/** Payouts that complete their orders before they are final. The judge is the node's own set of coins. */
describe.skipIf(LITECOIND_PATH === "")(
  "payouts of coins that are paid before they are final",
  () => {
    let world: PayingCoins;

    beforeAll(async () => {
      world = await makePayingCoins({ payoutDepth: PAYOUT_DEPTH });
      await world.start();
      await world.fund();
    });
    afterAll(() => world?.close());

    const awaitsFinality = async (view: OrderView) =>
      (await world.read(view)).payout?.awaitsFinality;
    const agrees = async (): Promise<void> => {
      expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
      const books = await readBooks(world.world.database, COIN_NETWORK);
      expect(books.map(({ difference }) => difference)).toEqual([0n]);
    };
    const paid = async (to: string): Promise<OrderView> => {
      const view = await world.buy(to);
      await expect.poll(() => world.inMempool()).toBe(1);
      await world.mine(PAYOUT_DEPTH);
      await expect.poll(() => world.status(view)).toBe("completed");
      expect(await awaitsFinality(view)).toBe(true);
      return view;
    };
    /** Drops the blocks of a payout for as many of these transactions, by their bytes. */
    const drop = async (transactions: readonly string[] = []): Promise<void> => {
      const height = Number(await world.node.call("getblockcount"));
      const first = await world.node.call("getblockhash", height - PAYOUT_DEPTH + 1);
      await world.node.call("invalidateblock", first);
      await world.mineOnly(transactions);
      for (let block = 0; block < PAYOUT_DEPTH; block += 1) await world.mineOnly([]);
      await world.scanned();
    };

    test("a completed payout that a reorganisation drops is mined again and paid once", async () => {
      const to = await world.newAddress();
      const view = await paid(to);
      expect(await world.feesPaid()).toBe(0n);
      await agrees();
      await drop();
      expect(await world.holds(to)).toBe(0n);
      expect(await world.status(view)).toBe("completed");
      await agrees();
      await world.mine(DEPTH);
      await expect.poll(() => awaitsFinality(view)).toBe(false);
      const units = (await world.read(view)).payout?.units ?? 0n;
      expect(await world.holds(to)).toBe(units);
      expect(await world.walletHolds()).toBe(FLOAT - units - (await world.feesPaid()));
      await agrees();
    });

    test("another transaction spends the coin of a dropped payout: its completed order waits in review", async () => {
      const to = await world.newAddress();
      const view = await paid(to);
      const hash = (await world.read(view)).payout?.transactionHash;
      const { vin } = await world.node.call<{ vin: { txid: string; vout: number }[] }>(
        "getrawtransaction",
        hash,
        true,
        await world.node.call("getblockhash", Number(await world.node.call("getblockcount")) - 1),
      );
      const height = Number(await world.node.call("getblockcount"));
      const first = await world.node.call("getblockhash", height - PAYOUT_DEPTH + 1);
      await world.node.call("invalidateblock", first);
      const stolen = await world.spendBehindOurBack(`${vin[0]?.txid}:${vin[0]?.vout}`);
      await world.node.call("reconsiderblock", first);
      await drop([stolen]);
      await world.mine(DEPTH);
      await expect.poll(() => world.status(view)).toBe("in_review");
      expect((await world.read(view)).payout).toMatchObject({ state: "void", voidReason: "dead" });
      expect(await world.holds(to)).toBe(0n);
      const stops = (await listStops(world.world.database)).map(describeStop);
      expect(stops).toEqual(["rail chain:litecoin"]);
      const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
      expect(breaks.map(({ problem }) => problem).join()).toContain("the chain dropped payout");
    });
  },
);
