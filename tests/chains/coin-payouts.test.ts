import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import { setRestored } from "../../apps/server/src/storage/history.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import {
  API,
  DEPTH,
  FLOAT,
  LOSE_SIGNATURES,
  makePayingCoins,
  type PayingCoins,
} from "./world/paying-coins.ts";

/** The rows P1, P7, P9 and P13 of the scenarios of chains. The judge is the node's own set of coins. */
describe.skipIf(LITECOIND_PATH === "")("payouts on litecoind", () => {
  let world: PayingCoins;

  beforeAll(async () => {
    world = await makePayingCoins({ payouts: { batch: { outputsMax: 1 } } });
    await world.start();
    await world.fund();
  });
  afterAll(() => world?.close());

  test("a payout arrives once, and the books have its fee", async () => {
    const to = await world.newAddress();
    const view = await world.buy(to);
    await expect.poll(() => world.inMempool()).toBe(1);
    await world.mine(1);
    await world.scanned();
    expect(await world.status(view)).toBe("sending");
    await world.mine(3);
    await expect.poll(() => world.status(view)).toBe("completed");
    const { payout } = await world.read(view);
    expect(await world.holds(to)).toBe(payout?.units);
    // The wallet lost the payment and the booked fee, and nothing else.
    const fee = await world.feesPaid();
    expect(fee).toBeGreaterThan(0n);
    expect(await world.walletHolds()).toBe(FLOAT - (payout?.units ?? 0n) - fee);
  });

  test("doctor asks the node, and derives the stored addresses again", async () => {
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(/ok {3}endpoints of litecoin: \S+ at block \d+ \(LitecoinCore:0\.21/);
    expect(out).toMatch(/ok {3}deposits of litecoin: account [0-9a-f]{8}, /);
    expect(out).toContain(
      "payouts of litecoin: an order is completed when its payout is 4 blocks deep; 0 of them await",
    );
    expect(out).toMatch(/ok {3}release key: .*, mode 600, in the signer's policy/);
  });

  test("payouts at once spend different coins, each once", async () => {
    const before = await world.walletHolds();
    const fees = await world.feesPaid();
    const addresses = await Promise.all([0, 1, 2].map(() => world.newAddress()));
    const views = await Promise.all(addresses.map((address) => world.buy(address)));
    await expect.poll(() => world.inMempool()).toBe(3);
    await world.mine(DEPTH);
    const paid: bigint[] = [];
    for (const [index, view] of views.entries()) {
      await expect.poll(() => world.status(view)).toBe("completed");
      const { payout } = await world.read(view);
      expect(await world.holds(addresses[index] ?? "")).toBe(payout?.units);
      paid.push(payout?.units ?? 0n);
    }
    const spent = paid.reduce((sum, units) => sum + units, (await world.feesPaid()) - fees);
    expect(await world.walletHolds()).toBe(before - spent);
  });

  test("a payout whose block is dropped is mined in another one and completed once", async () => {
    const to = await world.newAddress();
    const view = await world.buy(to);
    await expect.poll(() => world.inMempool()).toBe(1);
    await world.mine(1);
    await world.scanned();
    await world.node.call("invalidateblock", await world.node.call("getbestblockhash"));
    const other = await world.newAddress();
    for (let block = 0; block < 2; block += 1) await world.node.call("generateblock", other, []);
    await world.scanned();
    expect(await world.status(view)).toBe("sending");
    await world.mine(DEPTH);
    await expect.poll(() => world.status(view)).toBe("completed");
    expect(await world.holds(to)).toBe((await world.read(view)).payout?.units);
  });

  test("a payout that a restored database has not signed is adopted from the blocks, with its fee", async () => {
    const to = await world.newAddress();
    const view = await world.buy(to);
    await expect.poll(() => world.inMempool()).toBe(1);
    await world.stop();
    const { database } = world.world;
    await database.transaction((tx) => tx.runScript(LOSE_SIGNATURES));
    await setRestored(database, { why: "a test", lastMark: 0n });
    // No process scans the blocks, as before the workers of a restored service have started.
    await world.start(API);
    await world.mine(DEPTH);
    const adopt = ["payouts", "reconcile", "--adopt", "--as", "anna"];
    const unread = /^litecoin is read up to block \d+ of \d+$/;
    const { out } = await world.line.run(...adopt, "--json");
    expect(JSON.parse(out)).toMatchObject({
      restored: "a test",
      left: [{ reference: expect.stringMatching(unread), cure: "await_rail" }],
    });
    await world.stop();
    await world.start();
    await world.scanned();
    const fees = await world.feesPaid();
    expect(await world.line.runJson(...adopt)).toMatchObject({ left: [] });
    await expect.poll(() => world.status(view)).toBe("completed");
    expect(await world.holds(to)).toBe((await world.read(view)).payout?.units);
    expect(await world.feesPaid()).toBeGreaterThan(fees);
    expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
    for (const scope of [["--all"], ["--rail", "chain:litecoin"]]) {
      for (const person of ["anna", "ben"])
        await world.line.run("payouts", "resume", ...scope, "--as", person);
    }
    await world.mine(1);
    await world.scanned();
    expect(await world.stops()).toEqual([]);
  });

  test("another transaction that spends its coin is a break: the payout is void, the network stops", async () => {
    const to = await world.newAddress();
    const view = await world.buy(to);
    await expect.poll(() => world.inMempool()).toBe(1);
    const [hash = ""] = await world.node.call<string[]>("getrawmempool");
    const { vin } = await world.node.call<{ vin: { txid: string; vout: string }[] }>(
      "getrawtransaction",
      hash,
      true,
    );
    const [coin] = vin;
    const stolen = await world.spendBehindOurBack(`${coin?.txid}:${coin?.vout}`);
    await world.node.call("generateblock", await world.newAddress(), [stolen]);
    await world.scanned();
    expect(await world.status(view)).toBe("sending");
    await world.mine(DEPTH - 1);
    await expect.poll(() => world.status(view)).toBe("in_review");
    expect(await world.holds(to)).toBe(0n);
    const stops = (await listStops(world.world.database)).map(describeStop);
    expect(stops).toContain("rail chain:litecoin");
  });
});

describe.skipIf(LITECOIND_PATH === "")("a worker that is killed while it pays", () => {
  let world: PayingCoins;

  beforeAll(async () => {
    world = await makePayingCoins();
    await world.start();
    await world.fund();
    await world.stop();
  });
  afterEach(() => world.stop());
  afterAll(() => world?.close());

  test.each([
    "send.after_coins",
    "send.after_request",
    "payout.after_sign",
    "payout.after_sign_recorded",
    "payout.after_broadcast",
  ] as const)(
    "at %s the payout arrives once",
    async (failpoint) => {
      await world.start(API);
      const to = await world.newAddress();
      const view = await world.buy(to);
      await world.stop();
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
      await world.start();
      await expect.poll(() => world.inMempool()).toBe(1);
      await world.mine(DEPTH);
      await expect.poll(() => world.status(view)).toBe("completed");
      expect(await world.holds(to)).toBe((await world.read(view)).payout?.units);
      expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
    },
    300_000,
  );

  test("at payout.after_broadcast the payout is followed, although the node refuses its bytes in words that nobody knows", async () => {
    await world.start(API);
    const to = await world.newAddress();
    const view = await world.buy(to);
    await world.stop();
    expect(await world.dieAt("payout.after_broadcast")).toBe("SIGKILL");
    await world.mine(DEPTH);
    const refuse = ({ method }: { readonly method: string }) =>
      method === "sendrawtransaction" ? "bad-txns-inputs-missingorspent" : undefined;
    world.endpoint.behaviour = { ...world.endpoint.behaviour, refuse };
    await world.start();
    await expect.poll(() => world.status(view)).toBe("completed");
    world.endpoint.behaviour = {};
    expect(await world.holds(to)).toBe((await world.read(view)).payout?.units);
    expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
  }, 300_000);
});
