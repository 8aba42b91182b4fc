import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { releaseOrder } from "../../apps/server/src/flows/orders/release.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { HOT, hex, makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";

/** A block is final when eight others are on top of it. */
const FINAL = 12;
const DEPTH = 2;

const FULFILLED = statement(
  "test_fulfilled",
  `select count(*)::int as count from events where order_id = $1 and event_type = 'OrderFulfillment'`,
);
const FEE = statement(
  "test_fee_of",
  "select count(*)::int as count from ledger_entries where key = 'fee:ethereum:' || $1",
);
const IN_STATE = statement(
  "test_in_state",
  "select count(*)::int as count from chain_wallet_movements where transaction_hash = $1 and state = $2",
);
// Another process has the lease, and does not read.
const PAUSE_SCANNER = statement(
  "test_pause_scanner",
  `update chain_cursors set lease_token = gen_random_uuid(), leased_until = clock_timestamp() + interval '5 minutes'
   returning clock_timestamp()::text as at`,
);
const RESUME_SCANNER = statement(
  "test_resume_scanner",
  "update chain_cursors set lease_token = null, leased_until = null",
);
const COMPARED = statement(
  "test_compared",
  "select count(*)::int as count from audit_progress where rails_compared_at > $1::timestamptz",
);

/** Payouts that complete their orders before they are final. The chain's own balances judge. */
describe.skipIf(ANVIL_PATH === "")("payouts that are paid before they are final", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld({ network: { payoutDepth: DEPTH } });
    await world.start();
  });
  afterAll(() => world?.close());
  beforeEach(() => world.node.call("evm_setAutomine", true));

  const payoutOf = async (view: OrderView) => found((await world.read(view)).payout);
  const counted = async (text: typeof FEE, ...values: unknown[]): Promise<number> => {
    const [row] = await world.world.database.query<{ count: number }>(text, values);
    return row?.count ?? 0;
  };
  const fulfilled = (view: OrderView) => counted(FULFILLED, view.order.id);
  /** The books agree with the wallets and with the orders, whatever the chain did. */
  const agrees = async (): Promise<void> => {
    expect(await world.line.run("ledger", "check")).toMatchObject({ status: 0 });
    const books = await readBooks(world.world.database, "ethereum");
    expect(books.map(({ difference }) => difference)).toEqual(books.map(() => 0n));
  };
  /** Buys coins, and returns the order when it is completed and not final. */
  const paid = async (asset: "eth" | "usdc", to: string): Promise<OrderView> => {
    // With automine, anvil sometimes mines an extra empty block. `drop` would then remove the wrong blocks.
    await world.node.call("evm_setAutomine", false);
    const view = await world.buy(asset, to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    await world.mine(1);
    expect(await world.holds(to, asset)).toBeGreaterThan(0n);
    expect(await world.status(view)).toBe("sending");
    await world.mine(DEPTH - 1);
    await expect.poll(() => world.status(view)).toBe("completed");
    expect(await payoutOf(view)).toMatchObject({ state: "confirmed", awaitsFinality: true });
    return view;
  };
  const isFinal = async (view: OrderView): Promise<void> => {
    await world.mine(FINAL);
    await expect
      .poll(async () => {
        await world.hurry(view);
        return (await payoutOf(view)).awaitsFinality;
      })
      .toBe(false);
  };
  /** Drops the blocks of a payout that was just paid. Nothing is mined by itself afterwards. */
  const drop = async (to: string, asset: "eth" | "usdc"): Promise<void> => {
    await world.node.call("evm_setAutomine", false);
    await world.node.call("anvil_reorg", DEPTH, []);
    expect(await world.holds(to, asset)).toBe(0n);
  };
  const problems = async (): Promise<string> => {
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    return breaks.map(({ problem }) => problem).join("\n");
  };

  test("an order is completed at the payout depth, and the fee is booked when it is final", async () => {
    const to = newAddress();
    const view = await paid("eth", to);
    const hash = found((await payoutOf(view)).settledHash ?? undefined);
    expect([await fulfilled(view), await counted(FEE, hash)]).toEqual([1, 0]);
    await agrees();
    const { out } = await world.line.run("orders", "explain", String(view.order.id));
    expect(out).toContain("paid in a block that is not final yet");
    const { out: listed } = await world.line.run("payouts", "list");
    expect(listed).toContain("its final block; its order is completed");
    await isFinal(view);
    expect([await fulfilled(view), await counted(FEE, hash)]).toEqual([1, 1]);
    expect(await world.holds(to, "eth")).toBe((await payoutOf(view)).units);
    await agrees();
  });

  test("a reorganisation drops a completed payout, and the same bytes pay it once", async () => {
    const to = newAddress();
    const view = await paid("eth", to);
    const before = await payoutOf(view);
    const signatures = world.signatures();
    await drop(to, "eth");
    await expect.poll(() => world.node.call("txpool_status")).toMatchObject({ pending: "0x1" });
    await agrees();
    await isFinal(view);
    expect(await payoutOf(view)).toMatchObject({ transactionHash: before.transactionHash });
    expect([world.signatures(), await fulfilled(view)]).toEqual([signatures, 1]);
    expect(await world.holds(to, "eth")).toBe(before.units);
    expect(await world.stops()).toEqual([]);
    await agrees();
  });

  test("a completed payout that was dropped is raised, and the order names the one that paid", async () => {
    const to = newAddress();
    const view = await paid("eth", to);
    const first = (await payoutOf(view)).transactionHash;
    await drop(to, "eth");
    await expect
      .poll(async () => {
        await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(40n * 10n ** 9n));
        await world.mine(1);
        return world.holds(to, "eth");
      })
      .toBeGreaterThan(0n);
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(10n ** 9n));
    await isFinal(view);
    const { settledHash, units } = await payoutOf(view);
    expect(settledHash).not.toBe(first);
    expect(await counted(FEE, settledHash)).toBe(1);
    expect(await world.holds(to, "eth")).toBe(units);
    expect(await world.stops()).toEqual([]);
    await agrees();
  });

  test("a payout that is final before the scanner has its new block stops nothing", async () => {
    const to = newAddress();
    const view = await paid("eth", to);
    const { settledHash: first } = await payoutOf(view);
    await expect.poll(() => counted(IN_STATE, first, "seen")).toBeGreaterThan(0);
    await drop(to, "eth");
    // The scanner notices at the next block, which is too expensive for the payout.
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(400n * 10n ** 9n));
    await world.mine(1);
    await expect.poll(() => counted(IN_STATE, first, "orphaned")).toBeGreaterThan(0);
    const { database } = world.world;
    await database.query(PAUSE_SCANNER);
    onTestFinished(async () => {
      await database.write(RESUME_SCANNER);
    });
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(10n ** 9n));
    await expect
      .poll(async () => {
        await world.mine(1);
        return world.holds(to, "eth");
      })
      .toBeGreaterThan(0n);
    await isFinal(view);
    const { settledHash } = await payoutOf(view);
    const [final] = await database.query<{ at: string }>(PAUSE_SCANNER);
    await expect.poll(() => counted(COMPARED, final?.at)).toBe(1);
    expect(await counted(IN_STATE, settledHash, "final")).toBe(0);
    expect(await world.stops()).toEqual([]);
    await database.write(RESUME_SCANNER);
    await expect.poll(() => counted(IN_STATE, settledHash, "final")).toBeGreaterThan(0);
    expect(await world.stops()).toEqual([]);
    await agrees();
  });

  test("a payout that moved nothing does not complete its order, however deep it is", async () => {
    await world.node.call("evm_setAutomine", false);
    const to = newAddress();
    const view = await world.buy("usdc", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    await world.setToken("usdc", TOKEN_CODES.false);
    await world.mine(DEPTH + 1);
    await expect.poll(async () => (await payoutOf(view)).confirmations).toBeGreaterThan(DEPTH);
    expect(await world.status(view)).toBe("sending");
    await world.mine(FINAL);
    const failed = ["in_review", "delivery_rejected", "void", "failed"];
    await expect.poll(() => world.outcome(view)).toEqual(failed);
    await world.setToken("usdc");
    expect(await fulfilled(view)).toBe(0);
  });

  /** The order waits for a person. Its books are as if nothing had left, and its release pays once. */
  const isLost = async (
    view: OrderView,
    { to, asset, why }: { to: string; asset: "eth" | "usdc"; why: "failed" | "dead" },
  ): Promise<void> => {
    await world.mine(FINAL);
    const lost = ["in_review", "delivery_rejected", "void", why];
    await expect.poll(() => world.outcome(view)).toEqual(lost);
    expect(await world.holds(to, asset)).toBe(0n);
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    expect(await problems()).toContain(`the chain dropped payout ${(await payoutOf(view)).id}`);
    expect(await fulfilled(view)).toBe(1);
    await world.setToken("usdc");
    await world.node.call("evm_setAutomine", true);
    await world.resume();
    const { deps } = world.service();
    await releaseOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id });
    await expect
      .poll(async () => {
        await world.mine(1);
        return world.status(view);
      })
      .toBe("completed");
    await isFinal(view);
    expect(await world.holds(to, asset)).toBe((await payoutOf(view)).units);
    expect(await fulfilled(view)).toBe(2);
  };

  test("a completed payout whose repetition fails goes to review, and its release pays once", async () => {
    const to = newAddress();
    const view = await paid("usdc", to);
    await drop(to, "usdc");
    await world.setToken("usdc", TOKEN_CODES.reverting);
    await expect.poll(() => world.node.call("txpool_status")).toMatchObject({ pending: "0x1" });
    await isLost(view, { to, asset: "usdc", why: "failed" });
    await agrees();
  });

  test("a foreign transaction takes the place of a completed payout: review, break, paid once", async () => {
    const to = newAddress();
    const view = await paid("eth", to);
    await drop(to, "eth");
    const nonce = await world.nonce();
    await expect.poll(() => world.node.call("txpool_status")).toMatchObject({ pending: "0x1" });
    const price = hex(500n * 10n ** 9n);
    await world.node.call("eth_sendTransaction", {
      ...{ from: HOT, to: newAddress(), value: "0x1", nonce: hex(nonce), gas: "0x5208" },
      ...{ maxFeePerGas: price, maxPriorityFeePerGas: price },
    });
    await isLost(view, { to, asset: "eth", why: "dead" });
    expect(await problems()).not.toContain("the chain dropped payout");
  });
});
