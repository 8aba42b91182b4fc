import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { FAILPOINTS, type Failpoint } from "../../apps/server/src/failpoints.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import { HOT, makePayingWorld, type PayingWorld } from "./world/paying-world.ts";
import { endLeasesOfDead, makeWorkers } from "./world/workers.ts";

const SWEEPS = { aboveEuro: 1 };
const LIFE_MAX_MS = 60_000;
/** Seven processes start and die, on a machine that may be busy. */
const BUSY_MS = 600_000;
const UNDER_WAY = statement(
  "test_moves_under_way",
  "select from chain_sends where purpose in ('sweep', 'top_up') and state in ('bound', 'signed', 'sent')",
);
const SWEPT = statement(
  "test_sweeps_by_state",
  `select state, count(*)::int as sweeps from chain_sends where purpose = 'sweep'
   group by state order by state`,
);

/** A worker is killed as `kill -9` would, around each step of a sweep. */
describe.skipIf(ANVIL_PATH === "")("a worker that is killed while it sweeps", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    const deposits = { xpub: XPUB, wallet: "ethereum-deposits" };
    world = await makePayingWorld({ network: { deposits } });
  });
  afterAll(() => world?.close());

  const mineUntil = async (condition: () => Promise<boolean>): Promise<void> => {
    const options = { timeout: 60_000, interval: 200 };
    await expect.poll(() => world.mine(1).then(condition), options).toBe(true);
  };
  /** Places orders for coins and pays them, while nothing is swept. Returns their addresses. */
  const sell = async (count: number): Promise<readonly string[]> => {
    await world.start({ sweeps: undefined });
    const { deps } = world.service();
    const views: OrderView[] = [];
    for (let index = 0; index < count; index += 1) {
      const open = { deps, openSession: (id?: string) => openSession(deps, id) };
      const view = await placeAndAsk(open, ORDERS.sell);
      await world.send({ to: addressOf(view), value: found(view.instruction).units });
      views.push(view);
    }
    await mineUntil(async () => {
      const statuses = await Promise.all(views.map((view) => world.status(view)));
      return statuses.every((status) => status === "completed");
    });
    await world.stop();
    return views.map(addressOf);
  };
  const addressOf = (view: OrderView): string =>
    found(found(view.instruction).address ?? undefined);
  /** Runs a worker that sweeps until it dies. Returns the signal, or says that it lived on. */
  const dieAt = async (failpoint: Failpoint): Promise<unknown> => {
    const { variables } = world.line;
    const railsFile = found(variables["EXCHANGE_RAILS_FILE"]);
    const rails = JSON.parse(readFileSync(railsFile, "utf8"));
    rails.chains.ethereum.sweeps = SWEEPS;
    writeFileSync(`${railsFile}.sweeping`, JSON.stringify(rails));
    const workers = makeWorkers(
      { ...variables, EXCHANGE_RAILS_FILE: `${railsFile}.sweeping` },
      world.world.database,
    );
    const worker = await workers.start(failpoint);
    const miner = setInterval(() => void world.mine(1).catch(() => {}), 300);
    const tooLong = sleep(LIFE_MAX_MS, "it lived on", { ref: false });
    const ended = await Promise.race([worker.ended, tooLong]);
    clearInterval(miner);
    await worker.kill();
    return ended;
  };

  test(
    "at each of them in turn: every address is swept once, and the books have what the chain has",
    async () => {
      const failpoints = FAILPOINTS.filter((name) => name.startsWith("sweep."));
      const addresses = await sell(failpoints.length + 1);
      for (const failpoint of failpoints) {
        expect([failpoint, await dieAt(failpoint)]).toEqual([failpoint, "SIGKILL"]);
      }
      await endLeasesOfDead(world.world.database);
      await world.start({ sweeps: SWEEPS });
      const { database, catalogue } = world.service().deps;
      await mineUntil(async () => {
        const left = await Promise.all(addresses.map((address) => world.holds(address, "eth")));
        return left.every((units) => units === 0n);
      });
      await mineUntil(async () => (await database.query(UNDER_WAY)).length === 0);
      expect(await database.query(SWEPT)).toEqual([{ state: "final", sweeps: addresses.length }]);
      const assetId = found(catalogue().currencyByCodeOrReference("eth")).id;
      const of = { merchantId: "all", purpose: "chain_wallet", assetId };
      await mineUntil(
        async () => (await world.holds(HOT, "eth")) === (await readBalance(database, of)),
      );
      expect(await listStops(database)).toEqual([]);
    },
    BUSY_MS,
  );
});
