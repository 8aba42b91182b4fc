import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { moveClock } from "../../apps/server/src/flows/advance-clock.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { haveEnded } from "./world/sweeping-by-deadline.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";
import type { TronNode } from "./world/tron-node.ts";
import {
  makeTronPayingWorld,
  newTronAddress,
  TRON_HOT,
  type TronPayingWorld,
} from "./world/tron-paying.ts";
import {
  makeTronSweeping,
  TRON_SWEPT,
  type TronSpend,
  type TronSweeping,
} from "./world/tron-sweeping.ts";

const HOUR_SECONDS = 3_600;
/** A busy machine needs a long time for a signature, and a sweep whose deadline passed waits for an hour. */
const PATIENT = { payouts: { expirationSeconds: 300, graceSeconds: 1 } };

/** The chain's own balances judge. */
describe.skipIf(ANVIL_PATH === "")("sweeps on Tron", () => {
  let world: TronPayingWorld;
  let sweeping: TronSweeping;
  /** The orders whose deposit addresses may hold something. */
  const sold: OrderView[] = [];

  beforeAll(async () => {
    world = await makeTronPayingWorld();
    sweeping = makeTronSweeping(world);
    await world.start({ ...TRON_SWEPT, ...PATIENT });
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  const atEach = (changes: Partial<TronNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(async () => {
    atEach({ takes: true, stakes: false, before: () => {}, rewrite: (_, answer) => answer });
    await world.setToken();
    expect(await world.stops()).toEqual([]);
    await sweeping.requireSameBooks(sold);
  });

  const sellAndPay = async (spend: TronSpend, amount: string): Promise<OrderView> => {
    const view = await sweeping.sell(spend, amount);
    sold.push(view);
    await sweeping.deposit(view);
    await sweeping.growUntil(async () => (await world.status(view)) === "completed");
    return view;
  };
  const held = (view: OrderView, asset: TronSpend) => world.holds(sweeping.addressOf(view), asset);
  const since = async (count: number) => (await sweeping.moves()).slice(count);

  test("tokens are collected to the unit, after a top-up of TRX that makes their address an account", async () => {
    const before = await world.holds(TRON_HOT, "usdt-tron");
    const view = await sellAndPay("usdt-tron", "200");
    await sweeping.growUntil(async () => (await held(view, "usdt-tron")) === 0n);
    await sweeping.growUntil(async () => haveEnded(await sweeping.moves()));
    const { units } = found(view.instruction);
    expect((await world.holds(TRON_HOT, "usdt-tron")) - before).toBe(units);
    const moves = await sweeping.moves();
    expect(moves.map(({ purpose, state, place, kind }) => [purpose, state, place, kind])).toEqual([
      ["top_up", "final", null, "expiring"],
      ["sweep", "final", null, "expiring"],
    ]);
    const { deposits } = await world.read(view);
    expect(deposits.map((deposit) => deposit.units)).toEqual([units]);
  });

  test("TRX are collected whole where bandwidth costs nothing, and the books have no fee of it", async () => {
    const count = (await sweeping.moves()).length;
    atEach({ stakes: true });
    const before = await world.holds(TRON_HOT, "trx");
    const view = await sellAndPay("trx", "2000");
    await sweeping.growUntil(async () => haveEnded(await since(count)));
    expect(await held(view, "trx")).toBe(0n);
    const { units } = found(view.instruction);
    expect((await world.holds(TRON_HOT, "trx")) - before).toBe(units);
    expect(await since(count)).toMatchObject([{ purpose: "sweep", state: "final" }]);
  });

  test("TRX leave the cost of their bytes behind where no bandwidth is free, and later coins are swept too", async () => {
    const count = (await sweeping.moves()).length;
    const view = await sellAndPay("trx", "1000");
    await sweeping.growUntil(async () => haveEnded(await since(count)));
    expect(await held(view, "trx")).toBeLessThan(400_000n);
    await sweeping.deposit(view);
    await sweeping.growUntil(async () => haveEnded((await since(count)).slice(1)));
    expect(await held(view, "trx")).toBeLessThan(800_000n);
  });

  test("a sweep that the nodes drop is dead after its deadline, and another one collects the coins once", async () => {
    await world.stop();
    await world.start(TRON_SWEPT);
    const count = (await sweeping.moves()).length;
    const before = await world.holds(TRON_HOT, "trx");
    const signed = world.signatures();
    atEach({ takes: false, stakes: true });
    const view = await sellAndPay("trx", "1500");
    await sweeping.growUntil(async () =>
      (await since(count)).some(({ deadBy }) => deadBy?.startsWith("deadline:") === true),
    );
    expect(await world.holds(TRON_HOT, "trx")).toBe(before);
    atEach({ takes: true });
    // It waits for an hour, so that a node which refuses everything makes few signatures.
    expect(await since(count)).toHaveLength(1);
    await world.stop();
    await world.start({ ...TRON_SWEPT, ...PATIENT });
    await moveClock(world.world.database, HOUR_SECONDS + 1);
    await sweeping.growUntil(async () => (await held(view, "trx")) === 0n);
    await sweeping.growUntil(async () => haveEnded(await since(count)));
    expect((await since(count)).map(({ state }) => state)).toEqual(["dead", "final"]);
    expect((await world.holds(TRON_HOT, "trx")) - before).toBe(found(view.instruction).units);
    expect(world.signatures()).toBe(signed + 2);
  });

  test("tokens that cannot move wait, cost nothing, and hold up no other sweep", async () => {
    const count = (await sweeping.moves()).length;
    const paused = await sweeping.sell("usdt-tron", "300");
    sold.push(paused);
    await sweeping.deposit(paused);
    await world.setToken(TOKEN_CODES.reverting);
    await sweeping.growUntil(async () => (await world.status(paused)) === "completed");
    atEach({ stakes: true });
    const view = await sellAndPay("trx", "1200");
    await sweeping.growUntil(async () => (await held(view, "trx")) === 0n);
    expect((await since(count)).map(({ purpose }) => purpose)).toEqual(["sweep"]);
    expect(await held(paused, "usdt-tron")).toBe(found(paused.instruction).units);
    await world.setToken();
    await sweeping.growUntil(async () => (await held(paused, "usdt-tron")) === 0n);
    await sweeping.growUntil(async () => haveEnded(await since(count)));
  });

  test("a sweep of tokens that runs out of energy moves nothing, costs its fee, and is in the books", async () => {
    const count = (await sweeping.moves()).length;
    const view = await sweeping.sell("usdt-tron", "250");
    sold.push(view);
    await sweeping.deposit(view);
    // The token breaks after the top-up, between the trial of the sweep and its transaction.
    atEach({
      before: async ({ method }) => {
        const [, sweep] = await since(count);
        if (method === "/wallet/broadcasthex" && sweep) await world.setToken(TOKEN_CODES.endless);
      },
    });
    await sweeping.growUntil(async () =>
      (await since(count)).some(({ purpose, state }) => purpose === "sweep" && state === "failed"),
    );
    await world.setToken();
    expect(await held(view, "usdt-tron")).toBe(found(view.instruction).units);
  });

  test("with no coins for top-ups tokens wait, and payouts go on", async () => {
    await world.stop();
    const sweeps = { aboveEuro: 1, topUpsDayUnits: "0" };
    await world.start({ ...TRON_SWEPT, ...PATIENT, sweeps });
    const count = (await sweeping.moves()).length;
    const view = await sellAndPay("usdt-tron", "100");
    const to = newTronAddress();
    const bought = await world.buy("usdt-tron", to);
    await world.until(bought, "completed");
    expect(await since(count)).toEqual([]);
    expect(await held(view, "usdt-tron")).toBe(found(view.instruction).units);
  });
});
