import { afterAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import {
  isCampaign,
  isChosen,
  playSeeded,
  progress,
  roundsOf,
  SEED,
  seededNumbers,
} from "../simulation/campaign.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { COIN_UNITS, makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";

const HISTORIES = roundsOf({ test: 0, campaign: 20 });
const OPERATIONS = 60;
const COINS = 3;
/** Forks are less deep than a final block. */
const FORK_MAX = 2;

const VERSIONS = statement(
  "test_versions",
  `select encode(t.bytes, 'hex') as bytes from chain_transactions t join chain_sends send on send.id = t.send_id
   where send.state in ('signed', 'sent') order by t.created_at`,
);
const COUNTS = statement(
  "test_coin_counts",
  `select count(*) filter (where purpose = 'raise')::int as children,
     count(*) filter (where purpose = 'payout' and state = 'dead')::int as lost,
     (select count(*)::int from (select from chain_send_outputs where not is_vacated
       group by send_id having count(*) > 1) shared) as batches,
     (select count(*)::int from chain_transactions where number > 1) as versions from chain_sends`,
);

/** Children of a payout may be signed when a block has it, and are mined later. */
const UNDER_WAY = statement(
  "test_coin_sends_under_way",
  "select id, purpose, state from chain_sends where state in ('bound', 'signed', 'sent')",
);
const SENDS = statement(
  "test_coin_sends",
  `select send.id, send.purpose, send.state, send.settled_hash, send.dead_by, send.raises, send.created_at,
     (select json_agg(o order by o.number) from chain_send_outputs o where o.send_id = send.id) as outputs,
     (select json_agg(c) from chain_coins c where c.send_id = send.id) as coins,
     (select json_agg(json_build_array(t.number, t.hash)) from chain_transactions t where t.send_id = send.id)
       as transactions
   from chain_sends send order by send.created_at`,
);
const PAYOUTS = statement(
  "test_coin_payouts",
  `select o.id::text as "order", o.status, o.status_reason, intent.id, intent.state, intent.void_reason,
     intent.awaits_finality, intent.settled_hash, wait.why,
     (select json_agg(json_build_array(e.at, e.status, e.note) order by e.sequence) from order_events e
       where e.order_id = o.id) as timeline
   from orders o left join payout_intents intent on intent.order_id = o.id
     left join payout_waits wait on wait.intent_id = intent.id order by o.created_at`,
);

/**
 * Random histories of payouts, fees that rise and fall, and forks of which either branch has any version of a
 * payout. At the end the node's own set of coins says that each payout was paid once, and what is left.
 */
describe.skipIf(LITECOIND_PATH === "" || !isCampaign)("random histories of raised fees", () => {
  let world: PayingCoins | undefined;
  afterAll(() => world?.close());
  const seeds = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(seeds.filter((seed) => isChosen(`coins ${seed}`)))(
    "coins %i: each payout is paid once",
    async (seed) => {
      await world?.close();
      const isReplacing = seed % 2 === 0;
      world = await makePayingCoins({
        node: ["-vbparams=mweb:-2:0", ...(isReplacing ? ["-mempoolreplacement=1"] : [])],
        payoutDepth: 2,
        payouts: {
          ...{ raise: isReplacing ? "replace" : "child", raiseAfterBlocks: 1 },
          batch: { seconds: 1, outputsMax: 4 },
        },
      });
      const running = world;
      const name = `coins ${seed}`;
      await playSeeded({ campaign: "chains", name, seed, of: "histories of raised fees" }, () =>
        play(running, seed).catch(async (error: unknown) => {
          const { database } = running.world;
          for (const report of [PAYOUTS, SENDS])
            for (const row of await database.query(report)) progress(JSON.stringify(row));
          throw error;
        }),
      );
    },
    0,
  );
});

async function play(world: PayingCoins, seed: number): Promise<object> {
  const random = seededNumbers(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const bought: { readonly view: OrderView; readonly to: string }[] = [];
  const { database } = world.world;
  world.setRate(10);
  await world.start();
  await world.fund(COINS);
  /** A block of a random version of a payout, which may not fit the branch, or of nothing. */
  const mineSome = async (): Promise<void> => {
    const versions = await database.query<{ bytes: string }>(VERSIONS);
    const version = versions[pick(versions.length + 1)];
    const chosen = version ? [version.bytes] : [];
    await world.mineOnly(chosen).catch(() => world.mineOnly([]));
  };
  const buy = async (): Promise<void> => {
    const to = await world.newAddress();
    // Nobody is quoted more than the wallet has.
    const view = await world.buy(to, String(50 + pick(250))).catch(() => undefined);
    if (view) bought.push({ view, to });
  };
  const buyTogether = (): Promise<unknown> => Promise.all([buy(), buy(), buy()]);
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 800));
  const fork = async (): Promise<void> => {
    const depth = 1 + pick(FORK_MAX);
    const height = Number(await world.node.call("getblockcount"));
    const first = await world.node.call("getblockhash", height - depth + 1);
    await world.node.call("invalidateblock", first);
    for (let block = 0; block <= depth; block += 1) await mineSome();
  };
  const raise = async (): Promise<void> => {
    rate = Math.min(rate + 15, 300);
    world.setRate(rate);
    await world.mineOnly([]);
    await pause();
  };
  const operations = [buy, buyTogether, pause, raise, raise, raise, mineSome, fork, fork];
  let rate = 10;
  for (let turn = 0; turn < OPERATIONS; turn += 1) {
    await operations[pick(operations.length)]?.();
    await world.scanned();
  }
  const waiting = new Set(bought);
  const underWay = () => database.query(UNDER_WAY);
  for (let block = 0; block < 120; block += 1) {
    if (waiting.size === 0 && (await underWay()).length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
    await world.mine(1);
    await world.scanned();
    for (const one of waiting) {
      const { order, payout } = await world.read(one.view);
      if (order.status === "completed" && !payout?.awaitsFinality) waiting.delete(one);
    }
  }
  expect((await listStops(database)).map(describeStop)).toEqual([]);
  const unpaid = await Promise.all([...waiting].map(({ view }) => world.outcome(view)));
  expect(unpaid, JSON.stringify(unpaid)).toEqual([]);
  expect(await underWay(), "every send has ended").toEqual([]);
  let paid = 0n;
  for (const { view, to } of bought) {
    const { payout } = await world.read(view);
    expect(await world.holds(to)).toBe(payout?.units);
    paid += payout?.units ?? 0n;
  }
  const left = async () => BigInt(COINS) * COIN_UNITS - paid - (await world.feesPaid());
  await expect.poll(left).toBe(await world.walletHolds());
  const { status, out, errors } = await world.line.run("ledger", "check");
  expect(status, `${out}\n${errors}`).toBe(0);
  const [counts] = await database.query<object>(COUNTS);
  return { bought: bought.length, ...counts };
}
