import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setRestored } from "../../apps/server/src/storage/history.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import {
  API,
  DEPTH,
  FLOAT,
  LOSE_SIGNATURES,
  makePayingCoins,
  type PayingCoins,
} from "./world/paying-coins.ts";

/** The rows P1, P4, P8, P9, P11 and H1 for several payouts in one transaction. The judge is the node's own set of coins. */

/** Bitcoin's rules: replacements, and no extension block, without which a chain of tests is longer. */
const REPLACING = ["-mempoolreplacement=1", "-vbparams=mweb:-2:0"];
const CHEAP = 10;
const DEAR = 60;
/** At this rate a transaction of three payouts costs more than the limit, and one of two costs less. */
const DEAR_FOR_TWO = 80;
const FEE_MAX = "15000";
const BATCH_SECONDS = 60;
/** The signer wants approvals of a payment above €1,000. */
const ABOVE_LIMIT = "1500";

/** Selects the payouts that wait for the end of the stop. Those that are still decided about would come later. */
const WAITING = statement(
  "test_payouts_that_wait",
  `select jobs.id from jobs join payout_waits on jobs.key = 'send_payout:' || payout_waits.intent_id
   where jobs.order_id = any($1::bigint[]) and jobs.leased_until is null and jobs.run_at > business_now()`,
);

/** Selects the payouts that are in a transaction with others, or may still be joined by others. */
const JOINED = statement(
  "test_payouts_that_joined",
  `select o.intent_id from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
   where intent.order_id = any($1::bigint[]) and not o.is_vacated`,
);

interface Decoded {
  readonly txid: string;
  readonly vsize: string;
  readonly vin: readonly { readonly txid: string; readonly vout: string }[];
  readonly vout: readonly {
    readonly value: string;
    readonly scriptPubKey: { readonly hex: string };
  }[];
}

describe.skipIf(LITECOIND_PATH === "")("payouts that wait together", () => {
  let world: PayingCoins;
  const done: Bought[] = [];

  beforeAll(async () => {
    world = await makePayingCoins({
      node: REPLACING,
      payoutDepth: 1,
      payouts: {
        // A worker that pauses between two payouts must still put them together.
        batch: { seconds: BATCH_SECONDS, outputsMax: 5 },
        feeMaxUnits: FEE_MAX,
        ...{ raise: "replace", raiseAfterBlocks: 2 },
      },
    });
    await world.start();
    await world.fund();
  });
  afterAll(() => world?.close());

  type Bought = Awaited<ReturnType<typeof buy>>;
  const buy = async (euro?: string) => {
    const to = await world.newAddress();
    return { to, view: await world.buy(to, euro) };
  };
  const RAIL = ["--rail", "chain:litecoin"];
  /** Buys while the network is stopped, so that all payouts are released at once when it is resumed. */
  const buyTogether = async (euros: readonly string[]): Promise<Bought[]> => {
    const why = ["--reason", "a test", "--as", "anna"];
    await world.line.run("payouts", "stop", ...RAIL, ...why);
    const bought = await Promise.all(euros.map(buy));
    for (const { view } of bought) await expect.poll(() => world.status(view)).toBe("sending");
    const ids = bought.map(({ view }) => String(view.order.id));
    const waiting = () => world.world.database.query(WAITING, [ids]);
    await expect.poll(waiting).toHaveLength(bought.length);
    return bought;
  };
  const resume = async (): Promise<void> => {
    for (const person of ["anna", "ben"])
      await world.line.run("payouts", "resume", ...RAIL, "--as", person);
  };
  /** Waits until all of the payouts share a transaction, and moves the clock to the end of their wait for others. */
  const share = async (bought: readonly Bought[]): Promise<void> => {
    const ids = bought.map(({ view }) => String(view.order.id));
    const joined = () => world.world.database.query(JOINED, [ids]);
    await expect.poll(joined).toHaveLength(bought.length);
    const moved = await world.line.run("clock", "advance", String(BATCH_SECONDS), "--as", "anna");
    expect(moved).toMatchObject({ status: 0 });
  };
  const mempool = (): Promise<string[]> => world.node.call("getrawmempool");
  const decode = (hash: string): Promise<Decoded> =>
    world.node.call("getrawtransaction", hash, true);
  /** Returns the only transaction in the node's memory. */
  const onlyOne = async (): Promise<Decoded> => {
    await expect.poll(mempool).toHaveLength(1);
    return decode((await mempool())[0] ?? "");
  };
  const blocksWithoutIt = async (count: number): Promise<void> => {
    for (let block = 0; block < count; block += 1) await world.mineOnly([]);
  };
  /** Each payout arrived once, and what the wallet lost is payouts and fees in the books, to the unit. */
  const end = async (...bought: readonly Bought[]): Promise<void> => {
    await world.mine(DEPTH);
    await world.scanned();
    for (const { view } of bought) {
      await expect.poll(() => world.status(view)).toBe("completed");
      await expect.poll(async () => (await world.read(view)).payout?.awaitsFinality).toBe(false);
    }
    done.push(...bought);
    let paid = 0n;
    for (const { view, to } of done) {
      const { payout } = await world.read(view);
      expect(await world.holds(to)).toBe(payout?.units);
      paid += payout?.units ?? 0n;
    }
    expect(await world.walletHolds()).toBe(FLOAT - paid - (await world.feesPaid()));
    expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
    expect(await world.stops()).toEqual([]);
  };

  test("they share a transaction and one fee, and one that is held is not among them", async () => {
    const bought = await buyTogether(["50", "60", "70"]);
    const held = await buy(ABOVE_LIMIT);
    await resume();
    await expect.poll(() => world.status(held.view)).toBe("in_review");
    await share(bought);
    const { vout, vsize, txid } = await onlyOne();
    expect(vout).toHaveLength(bought.length + 1);
    await world.mine(1);
    await world.scanned();
    for (const { view } of bought) await expect.poll(() => world.status(view)).toBe("completed");
    await expect.poll(() => world.status(held.view)).toBe("in_review");
    const before = await world.feesPaid();
    await end(...bought);
    const paid = vout.reduce((sum, { value }) => sum + BigInt(value.replace(".", "")), 0n);
    expect(paid).toBeGreaterThan(0n);
    expect((await world.feesPaid()) - before).toBe(BigInt(vsize) * BigInt(CHEAP));
    for (const { view } of bought) {
      expect((await world.read(view)).payout?.transactionHash).toBe(txid);
    }
    expect(await world.holds(held.to)).toBe(0n);
  });

  test("the next version pays the market, and makes every payment", async () => {
    world.setRate(CHEAP);
    const bought = await buyTogether(["50", "60"]);
    await resume();
    await share(bought);
    const before = await onlyOne();
    await blocksWithoutIt(2);
    world.setRate(DEAR);
    await expect.poll(mempool).not.toEqual([before.txid]);
    const after = await onlyOne();
    expect(after.vin.map(({ txid }) => txid)).toEqual(before.vin.map(({ txid }) => txid));
    const changed = before.vout.filter(({ value }, at) => value !== after.vout[at]?.value);
    expect(changed).toHaveLength(1);
    expect(after.vout.map(({ scriptPubKey }) => scriptPubKey.hex)).toEqual(
      before.vout.map(({ scriptPubKey }) => scriptPubKey.hex),
    );
    world.setRate(CHEAP);
    await end(...bought);
  });

  test("a worker that is killed at each step pays each of them once", async () => {
    const bought = await buyTogether(["50", "60", "70"]);
    await world.stop();
    await world.start(API);
    await resume();
    const doomed = world.dieAt("send.after_coins");
    await share(bought);
    expect(await doomed).toBe("SIGKILL");
    for (const failpoint of [
      "send.after_request",
      "payout.after_sign",
      "payout.after_sign_recorded",
      "payout.after_broadcast",
    ] as const) {
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
    }
    const { vout } = await onlyOne();
    expect(vout).toHaveLength(bought.length + 1);
    await world.mine(1);
    for (const failpoint of ["payout.before_complete", "payout.after_complete"] as const) {
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
    }
    await world.mine(DEPTH);
    for (const failpoint of ["send.before_final", "send.after_final"] as const) {
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
    }
    await world.stop();
    await world.start();
    await end(...bought);
  });

  test("a worker that is killed when it takes payouts apart pays each of them once", async () => {
    const bought = await buyTogether(["50", "60", "70"]);
    await world.stop();
    await world.start(API);
    await resume();
    world.setRate(DEAR_FOR_TWO);
    const doomed = world.dieAt("send.after_split");
    await share(bought);
    expect(await doomed).toBe("SIGKILL");
    await world.stop();
    await world.start();
    // Those that left wait for others again.
    await share(bought);
    await expect.poll(mempool).toHaveLength(2);
    world.setRate(CHEAP);
    await end(...bought);
  });

  test("those that a restored database has not signed are all adopted, with one fee", async () => {
    const bought = await buyTogether(["50", "60"]);
    await resume();
    await share(bought);
    await onlyOne();
    await world.stop();
    const { database } = world.world;
    await database.transaction((tx) => tx.runScript(LOSE_SIGNATURES));
    await setRestored(database, { why: "a test", lastMark: 0n });
    await world.start();
    await world.scanned();
    const adopt = ["payouts", "reconcile", "--adopt", "--as", "anna"];
    // No block has the transaction, and the payouts must not be made again.
    const early = await world.line.run(...adopt, "--json");
    expect(early.status).toBe(1);
    expect(JSON.parse(early.out)).toMatchObject({
      left: [{ kind: "payout", state: "pending", cure: "await_rail" }],
      restored: "a test",
    });
    await world.mine(DEPTH);
    await world.scanned();
    expect(await world.line.runJson(...adopt)).toMatchObject({ left: [] });
    for (const { view } of bought) await expect.poll(() => world.status(view)).toBe("completed");
    for (const person of ["anna", "ben"]) {
      await world.line.run("payouts", "resume", "--all", "--as", person);
      await world.line.run("payouts", "resume", ...RAIL, "--as", person);
    }
    await end(...bought);
  });
});
