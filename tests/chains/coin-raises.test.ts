import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import type { Failpoint } from "../../apps/server/src/failpoints.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { setRestored } from "../../apps/server/src/storage/history.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { COIN_NETWORK } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import {
  API,
  COIN_UNITS,
  DEPTH,
  FLOAT,
  makePayingCoins,
  type PayingCoins,
} from "./world/paying-coins.ts";

/** The rows P4, P5, P9 and P10 of the scenarios of chains. The judge is the node's own set of coins. */

/** Bitcoin's rules: replacements, and no extension block, without which a chain of tests is longer. */
const REPLACING = ["-mempoolreplacement=1", "-vbparams=mweb:-2:0"];
const CHEAP = 10;
const DEAR = 60;

/** Takes back the second version of a payout under way, as a backup of an earlier moment has it. */
const LOSE_VERSIONS = `
  set local session_replication_role = replica;
  create temporary table lost on commit drop as
    select id, 2 as number from chain_sends where state in ('signed', 'sent');
  delete from chain_transactions where (send_id, number) in (table lost);
  delete from chain_fee_terms where (send_id, number) in (table lost)`;

/** A transaction in the node's memory. */
interface Entry {
  readonly vsize: string;
  readonly ancestorcount: string;
  readonly ancestorsize: string;
  readonly fees: { readonly base: string; readonly ancestor: string };
}

interface Decoded {
  readonly vin: readonly { readonly txid: string; readonly vout: string }[];
  readonly vout: readonly {
    readonly value: string;
    readonly scriptPubKey: { readonly hex: string };
  }[];
}

let world: PayingCoins;
const mempool = (): Promise<string[]> => world.node.call("getrawmempool");
const entryOf = (hash: string): Promise<Entry> => world.node.call("getmempoolentry", hash);
const units = (coins: string): number => Math.round(Number(coins) * 1e8);
const bytesOf = (hash: string): Promise<string> => world.node.call("getrawtransaction", hash);
const blocksWithoutIt = async (count: number): Promise<void> => {
  for (let block = 0; block < count; block += 1) await world.mineOnly([]);
};

/** Buys coins at a cheap rate. Returns the order, its address and its transaction in the node's memory. */
async function buyCheaply(euro?: string) {
  world.setRate(CHEAP);
  const before = await mempool();
  const to = await world.newAddress();
  const view = await world.buy(to, euro);
  await expect.poll(async () => (await mempool()).length).toBe(before.length + 1);
  const hash = (await mempool()).find((one) => !before.includes(one)) ?? "";
  return { view, to, hash, bytes: await bytesOf(hash) };
}
type Bought = Awaited<ReturnType<typeof buyCheaply>>;

/** Makes the network dear and mines blocks without the payout. Returns the newest transaction of another name. */
async function untilRaised({ hash }: Bought): Promise<string> {
  await blocksWithoutIt(2);
  world.setRate(DEAR);
  const other = async () => (await mempool()).find((one) => one !== hash) ?? "";
  await expect.poll(other).not.toBe("");
  return other();
}

/** Each payout arrived once, and what the wallet lost is payouts and fees in the books, to the unit. */
async function expectBooks(bought: readonly Bought[], float = FLOAT): Promise<void> {
  let paid = 0n;
  for (const { view, to } of bought) {
    const { payout } = await world.read(view);
    expect(await world.holds(to)).toBe(payout?.units);
    paid += payout?.units ?? 0n;
  }
  const left = async () => float - paid - (await world.feesPaid());
  await expect.poll(left).toBe(await world.walletHolds());
  expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
}

const decode = (bytes: string): Promise<Decoded> => world.node.call("decoderawtransaction", bytes);

async function dieAtEach(...failpoints: readonly Failpoint[]): Promise<void> {
  for (const failpoint of failpoints) expect(await world.dieAt(failpoint)).toBe("SIGKILL");
}

const completed = (bought: Bought) =>
  expect.poll(() => world.status(bought.view)).toBe("completed");

describe.skipIf(LITECOIND_PATH === "")(
  "on litecoind as it comes, the change pays by a child",
  () => {
    const done: Bought[] = [];
    beforeAll(async () => {
      world = await makePayingCoins({ payouts: { raiseAfterBlocks: 2 } });
      await world.start();
      await world.fund();
    });
    afterAll(() => world?.close());

    test("a stuck payout and its children pay the market together, and each fee is booked", async () => {
      const bought = await buyCheaply();
      const child = await untilRaised(bought);
      const { ancestorcount, ancestorsize, fees } = await entryOf(child);
      expect(ancestorcount).toBe("2");
      expect(units(fees.ancestor) / Number(ancestorsize)).toBeGreaterThanOrEqual(DEAR);
      // The payment itself is unchanged.
      expect(await bytesOf(bought.hash)).toBe(bought.bytes);
      await blocksWithoutIt(2);
      world.setRate(DEAR * 2);
      await expect.poll(async () => (await mempool()).length).toBe(3);
      const last = (await mempool()).find((one) => one !== child && one !== bought.hash) ?? "";
      expect(await entryOf(last)).toMatchObject({ ancestorcount: "3" });
      await world.mine(DEPTH);
      await completed(bought);
      done.push(bought);
      await expectBooks(done);
    });

    test("beyond the limit of the rate nothing is signed, and below it one raise follows", async () => {
      const bought = await buyCheaply();
      await blocksWithoutIt(2);
      world.setRate(CHEAP * 100);
      await world.scanned();
      await blocksWithoutIt(2);
      await world.scanned();
      expect(await mempool()).toEqual([bought.hash]);
      world.setRate(CHEAP * 40);
      await expect.poll(async () => (await mempool()).length).toBe(2);
      await world.mine(DEPTH);
      await completed(bought);
      done.push(bought);
      await expectBooks(done);
    });

    test("a worker that is killed before and after it signs a child pays and books once", async () => {
      const bought = await buyCheaply();
      await world.stop();
      await world.start(API);
      await blocksWithoutIt(2);
      world.setRate(DEAR);
      await dieAtEach("send.after_raise", "hole.after_sign");
      expect(await mempool()).toEqual([bought.hash]);
      await world.stop();
      await world.start();
      await expect.poll(mempool).toHaveLength(2);
      await world.mine(DEPTH);
      await completed(bought);
      done.push(bought);
      await expectBooks(done);
    });
  },
);

describe.skipIf(LITECOIND_PATH === "")(
  "on litecoind with Bitcoin's rules, a version with less change pays",
  () => {
    const done: Bought[] = [];
    /** With two coins a large payout needs the change of the one before it. */
    const COINS = 2;
    beforeAll(async () => {
      world = await makePayingCoins({
        node: REPLACING,
        payouts: { raise: "replace", raiseAfterBlocks: 2 },
      });
      await world.start();
      await world.fund(COINS);
    });
    afterAll(() => world?.close());

    const float = BigInt(COINS) * COIN_UNITS;
    const end = async (...bought: readonly Bought[]): Promise<void> => {
      for (const one of bought) await completed(one);
      done.push(...bought);
      await expectBooks(done, float);
    };

    test("the change of the next version pays the market, and the payment is the same", async () => {
      const bought = await buyCheaply();
      const raised = await untilRaised(bought);
      expect(await mempool()).toEqual([raised]);
      const { vsize, fees } = await entryOf(raised);
      expect(units(fees.base) / Number(vsize)).toBeGreaterThanOrEqual(DEAR);
      const [before, after] = [await decode(bought.bytes), await decode(await bytesOf(raised))];
      expect(after.vin).toMatchObject(before.vin.map(({ txid, vout }) => ({ txid, vout })));
      const values = ({ vout }: Decoded) => vout.map(({ value }) => units(value));
      const lower = values(before).filter((value, at) => value !== values(after)[at]);
      expect(lower).toHaveLength(1);
      expect(after.vout.map(({ scriptPubKey }) => scriptPubKey.hex)).toEqual(
        before.vout.map(({ scriptPubKey }) => scriptPubKey.hex),
      );
      await world.mine(DEPTH);
      await end(bought);
    });

    test("the older version may be mined all the same, and its own fee is booked", async () => {
      const bought = await buyCheaply();
      await untilRaised(bought);
      await world.mineOnly([bought.bytes]);
      await world.mine(DEPTH);
      await end(bought);
      expect((await world.read(bought.view)).payout?.settledHash).toBe(bought.hash);
    });

    test("a worker that is killed after it signed a new version pays once", async () => {
      const bought = await buyCheaply();
      await world.stop();
      await world.start(API);
      await blocksWithoutIt(2);
      world.setRate(DEAR);
      await dieAtEach("payout.after_replace");
      expect(await mempool()).toEqual([bought.hash]);
      await world.stop();
      await world.start();
      await expect.poll(mempool).not.toEqual([bought.hash]);
      expect(await mempool()).toHaveLength(1);
      await world.mine(DEPTH);
      await end(bought);
    });

    test("a payout on the change of a version that lost is planned again, and paid once", async () => {
      const parent = await buyCheaply();
      const raised = await bytesOf(await untilRaised(parent));
      await world.mineOnly([parent.bytes]);
      await world.scanned();
      const child = await buyCheaply("999");
      const { vin } = await decode(child.bytes);
      expect(vin.map(({ txid }) => txid)).toContain(parent.hash);
      expect(vin).toHaveLength(2);
      // The other branch has the other version of the parent, so the change never was.
      await world.node.call("invalidateblock", await world.node.call("getbestblockhash"));
      await world.mineOnly([raised]);
      await blocksWithoutIt(1);
      await world.scanned();
      expect(await world.status(child.view)).toBe("sending");
      expect(await mempool()).toEqual([]);
      await world.stop();
      await world.start(API);
      await blocksWithoutIt(2);
      await dieAtEach("send.before_plan_again", "send.after_plan_again");
      expect(await mempool()).toEqual([]);
      await world.stop();
      await world.start();
      await expect.poll(mempool).toHaveLength(1);
      await world.mine(DEPTH);
      await end(parent, child);
      expect(await listStops(world.world.database)).toEqual([]);
    });

    test("a version that a restored database lost settles its payout, and nothing is paid twice", async () => {
      const bought = await buyCheaply();
      const raised = await untilRaised(bought);
      await world.stop();
      const { database } = world.world;
      await database.transaction((tx) => tx.runScript(LOSE_VERSIONS));
      await setRestored(database, { why: "a test", lastMark: 0n });
      await world.start();
      await world.mine(DEPTH);
      await end(bought);
      expect((await world.read(bought.view)).payout?.settledHash).toBe(raised);
      // The audit did not know the version when it was in a block, so people compare before the network goes on.
      const stops = (await listStops(database)).map(describeStop);
      expect(stops).toContain("rail chain:litecoin");
      const compare = ["payouts", "reconcile", "--adopt", "--as", "anna"];
      expect(await world.line.runJson(...compare)).toMatchObject({ left: [] });
      await world.mine(1);
      await world.scanned();
      const books = await readBooks(database, COIN_NETWORK);
      expect(books.map(({ difference }) => difference)).toEqual([0n]);
    });
  },
);
