import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import {
  makeSolanaPayingWorld,
  newSolanaAddress,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";
import { thiefOf } from "./world/solana-sweeping.ts";
import { SOL } from "./world/solana-world.ts";

/** The audit beside the whole service, with sales and payouts. The chain's own balances judge. */
describe("the books of Solana", () => {
  let world: SolanaPayingWorld;
  const deposits: string[] = [];

  beforeAll(async () => {
    world = await makeSolanaPayingWorld();
    await world.start();
  });
  afterAll(() => world?.close());

  const growUntil = (wanted: () => Promise<boolean>) =>
    expect
      .poll(
        async () => {
          await world.grow();
          return wanted();
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);

  /** The ledger, the scanner's rows and the chain have the same lamports. */
  const isExact = async (): Promise<void> => {
    const { database } = world.world;
    const { slot } = world.chain.head();
    await growUntil(async () => ((await findCursor(database, "solana"))?.finalHeight ?? 0n) > slot);
    const held = [SOLANA_HOT, ...deposits]
      .map((address) => world.chain.lamports(address))
      .reduce((sum, units) => sum + units, 0n);
    const account = { merchantId: "all", purpose: "chain_wallet", assetId: SOL } as const;
    await expect.poll(() => readBalance(database, account)).toBe(held);
    const books = await readBooks(database, "solana");
    expect(books.map(({ difference }) => difference)).toEqual(books.map(() => 0n));
  };

  test("the first balance, payouts, their fees and a refill keep the books exact", async () => {
    await isExact();
    const view = await world.buy(newSolanaAddress());
    await world.until(view, "completed");
    await isExact();
    await world.chain.pay([{ to: SOLANA_HOT, units: 77n }]);
    await isExact();
    expect(await world.line.runJson("ledger", "breaks")).toEqual([]);
    expect(await world.stops()).toEqual([]);
  });

  test("a sale that two transactions pay is completed once, and the books have its deposits", async () => {
    const { deps } = world.service();
    const view = await placeAndAsk(
      { deps, openSession: (id) => openSession(deps, id) },
      {
        ...ORDERS.sell,
        spend: "sol",
        amount: "200",
        request: { ...ORDERS.sell.request, refundAddress: newSolanaAddress() },
      },
    );
    const { address, units } = found(view.instruction);
    const to = String(address);
    deposits.push(to);
    await world.chain.pay([{ to, units: units - 5_000_000n }]);
    await world.chain.pay([
      { to: newSolanaAddress(), units: 1_000_000_000n },
      { to, units: 2_000_000n },
      { to, units: 3_000_000n },
    ]);
    await world.until(view, "completed");
    expect((await world.read(view)).deposits.map((one) => [one.state, one.units])).toEqual([
      ["final", units - 5_000_000n],
      ["final", 5_000_000n],
    ]);
    await isExact();
    const statement = await world.line.runJson<{
      closing: Record<string, string>;
      chain: Record<string, string>;
    }>("chains", "statement", "--network", "solana");
    expect(statement.closing).toEqual(statement.chain);
  });

  test("tokens of Solana are not offered", async () => {
    const { deps } = world.service();
    const order = {
      ...ORDERS.buyByBank,
      receive: "usdt-solana",
      request: { walletAddress: newSolanaAddress() },
    };
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    await expect(placeAndAsk(place, order)).rejects.toThrow();
  });

  test("a thief's transaction from the hot wallet stops the network, and the audit names it", async () => {
    const thief = await thiefOf("hot");
    expect(thief.address).toBe(SOLANA_HOT);
    const to = newSolanaAddress();
    const hash = await world.chain.pay([{ to, units: 1_000_000n }], thief);
    await expect.poll(() => world.stops()).toEqual(["rail chain:solana"]);
    const breaks = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    expect(breaks.map(({ problem }) => problem).join("\n")).toContain(
      `transaction ${hash}, which we did not sign, took 1000000 units of sol from wallet`,
    );
    const late = await world.buy(newSolanaAddress());
    const made = world.made();
    for (let turn = 0; turn < 10; turn += 1) await world.grow();
    await expect.poll(() => world.status(late)).toBe("sending");
    expect(world.made()).toBe(made);
  });
});
