import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { API, DEPTH, makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";

/** The judge is the node's own set of coins. */

const ABOVE = 20;
const SMALL = 30;
const SMALL_UNITS = 10_000_000n;
const FLOAT = BigInt(SMALL) * SMALL_UNITS;
const TINY_UNITS = 1_000_000n;
const CHEAP = 5;
const DEAR = 60;
const FEE_RATE_MAX = 8;
/** The blocks that a consolidation waits with `raiseAfterBlocks` of 1. */
const RAISED_AFTER = 24;
const STATEMENT = ["chains", "statement", "--network", "litecoin"] as const;

interface Statement {
  readonly lines: readonly { readonly kind: string }[];
}

interface Decoded {
  readonly vin: readonly unknown[];
  readonly vout: readonly { readonly value: string }[];
}

let world: PayingCoins;
const mempool = (): Promise<string[]> => world.node.call("getrawmempool");
const decode = async (hash: string): Promise<Decoded> =>
  world.node.call("decoderawtransaction", await world.node.call("getrawtransaction", hash));
interface Shown {
  readonly currency: string;
  readonly coins?: {
    readonly count: number;
    readonly sizes: readonly { readonly count: number }[];
  };
}

/** Returns what `treasury show` says about the coins of the hot wallet. */
async function shown(): Promise<Shown["coins"]> {
  const assets = await world.line.runJson<readonly Shown[]>("treasury", "show");
  return assets.find(({ currency }) => currency === "ltc")?.coins;
}

/** The wallet has what it would have without fees, less the fees in the books, to the unit. */
async function expectBooks(units: bigint): Promise<void> {
  await expect.poll(async () => units - (await world.feesPaid())).toBe(await world.walletHolds());
  expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
  expect(await listStops(world.world.database)).toEqual([]);
}

describe.skipIf(LITECOIND_PATH === "")("a hot wallet with many small coins", () => {
  beforeAll(async () => {
    world = await makePayingCoins({
      payouts: { raiseAfterBlocks: 1 },
      consolidate: { aboveCoins: ABOVE, feeRateMax: FEE_RATE_MAX },
    });
    world.setRate(DEAR);
    await world.start();
    await world.fund(SMALL, SMALL_UNITS);
  });
  afterAll(() => world?.close());

  test("keeps its coins while the network is dear or its payouts are stopped", async () => {
    expect(await shown()).toMatchObject({ count: SMALL, sizes: [{ count: SMALL }] });
    const by = ["--as", "anna"];
    const rail = ["--rail", "chain:litecoin"];
    await world.line.run("payouts", "stop", ...rail, "--reason", "a test", ...by);
    world.setRate(CHEAP);
    await world.mine(1);
    await world.scanned();
    expect(await mempool()).toEqual([]);
    world.setRate(DEAR);
    for (const person of ["anna", "ben"]) {
      const resume = ["payouts", "resume", ...rail, "--as", person];
      expect(await world.line.run(...resume)).toMatchObject({ status: 0 });
    }
    await world.mine(1);
    await world.scanned();
    expect(await mempool()).toEqual([]);
  });

  test("makes one coin of the smaller half once, whenever its worker is killed", async () => {
    await world.stop();
    await world.start(API);
    world.setRate(CHEAP);
    for (const failpoint of [
      "consolidation.before_bind",
      "consolidation.after_bind",
      "hole.after_sign",
      "hole.after_store",
    ] as const) {
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
    }
    expect(await mempool()).toEqual([]);
    await world.stop();
    await world.start();
    await expect.poll(mempool).toHaveLength(1);
    const [hash = ""] = await mempool();
    const { vin, vout } = await decode(hash);
    expect([vin.length, vout.length]).toEqual([SMALL / 2, 1]);
    await world.mine(DEPTH);
    await world.scanned();
    expect(await shown()).toMatchObject({ count: SMALL / 2 + 1 });
    await expectBooks(FLOAT);
    // Nothing left the wallet but the fee.
    const { lines } = await world.line.runJson<Statement>(...STATEMENT);
    expect(lines.filter(({ kind }) => kind !== "top_up")).toMatchObject([
      { kind: "fee", transaction: hash },
    ]);
    expect(await mempool()).toEqual([]);
  });

  test("pays from its larger coins meanwhile, and raises a fee that no block takes for long", async () => {
    await world.fund(10, TINY_UNITS);
    await expect.poll(mempool).toHaveLength(1);
    const [consolidation = ""] = await mempool();
    const to = await world.newAddress();
    const view = await world.buy(to);
    await expect.poll(mempool).toHaveLength(2);
    const payout = (await mempool()).find((hash) => hash !== consolidation) ?? "";
    await world.mineOnly([await world.node.call("getrawtransaction", payout)]);
    world.setRate(DEAR);
    // With the block of the payout it is one short of them.
    for (let block = 2; block < RAISED_AFTER; block += 1) await world.mineOnly([]);
    await world.scanned();
    expect(await mempool()).toEqual([consolidation]);
    await world.mineOnly([]);
    await expect.poll(mempool).toHaveLength(2);
    await world.mine(DEPTH);
    await expect.poll(() => world.status(view)).toBe("completed");
    await expectBooks(FLOAT + 10n * TINY_UNITS - (await world.holds(to)));
    expect(await mempool()).toEqual([]);
  });
});

describe.skipIf(LITECOIND_PATH === "")("a hot wallet where versions replace each other", () => {
  beforeAll(async () => {
    world = await makePayingCoins({
      node: ["-mempoolreplacement=1", "-vbparams=mweb:-2:0"],
      payouts: { raise: "replace", raiseAfterBlocks: 1 },
      consolidate: { aboveCoins: ABOVE, feeRateMax: FEE_RATE_MAX },
    });
    world.setRate(CHEAP);
    await world.start();
    await world.fund(SMALL, SMALL_UNITS);
  });
  afterAll(() => world?.close());

  test("raises the fee of a stuck consolidation from what it moves, and books it once", async () => {
    await expect.poll(mempool).toHaveLength(1);
    const [first = ""] = await mempool();
    world.setRate(DEAR);
    for (let block = 0; block < RAISED_AFTER; block += 1) await world.mineOnly([]);
    await expect.poll(mempool).not.toEqual([first]);
    const [raised = ""] = await mempool();
    const { vin, vout } = await decode(raised);
    expect([vin.length, vout.length]).toEqual([SMALL / 2, 1]);
    await world.mine(DEPTH);
    await expectBooks(FLOAT);
    expect(await shown()).toMatchObject({ count: SMALL / 2 + 1, consolidating: 0 });
  });
});
