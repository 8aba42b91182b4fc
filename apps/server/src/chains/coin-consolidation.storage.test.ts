import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { moveClock } from "../flows/advance-clock.ts";
import { fillHoles } from "../jobs/fill-holes.ts";
import { advanceOwnSend } from "../jobs/own-sends.ts";
import { listCoinsOf } from "../storage/chains/coins.ts";
import { takeCoins } from "../storage/chains/take-coins.ts";
import { listOwnSends } from "../storage/payouts/own-sends.ts";
import { bindRaise } from "../storage/payouts/raises.ts";
import { storeOwn } from "../storage/payouts/sends.ts";
import { putStop } from "../storage/payouts/stops.ts";
import { statement } from "../storage/postgres/database.ts";
import { listCoinSizes } from "../storage/treasury/coin-sizes.ts";
import { nameLiveNetworks } from "../storage/treasury/stock.ts";
import { found } from "../testing/catalogue.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { consolidateOnce } from "./coin-consolidation.ts";
import { makeLiveCoins } from "./live-coins.ts";

const NETWORK = "litecoin";
const RULES = { aboveCoins: 20, coinsAtOnce: 100, feeRateMax: 5n };
/** The fee of spending a coin at a rate of 1. */
const EACH = 68n;
const STATES = statement(
  "test_consolidations",
  "select id, state from chain_sends where purpose = 'rebalance' order by created_at, id",
);

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const sends = () => world.database.query<{ id: string; state: string }>(STATES);

beforeAll(async () => {
  world = await makeWorld();
  await world.database.transaction((tx) => nameLiveNetworks(tx, [NETWORK]));
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, address, kind, next_place)
      values ('ltc', '${NETWORK}', 'xpub', 'coins', null)`);
});
afterAll(() => world.close());
// Each test has a wallet of its own coins, and nothing of the test before.
beforeEach(() =>
  run(`set local session_replication_role = replica;
    delete from chain_coins; delete from chain_fee_terms; delete from chain_transactions;
    delete from chain_sends; delete from stops; delete from treasury_limits`),
);

/** Makes final coins with these units each. */
async function makeCoins(count: number, units: bigint, height = 80): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const outpoint = `${randomUUID().replaceAll("-", "").repeat(2)}:0`;
    return `('${NETWORK}', '${outpoint}', 'aabbccdd', 0, 0, ${units}, ${height}, 81)`;
  });
  await run(`insert into chain_coins
    (network_code, outpoint, account, branch, key_index, units, height, matures_at)
    values ${rows.join(", ")}`);
}

/** A sender at the rate, and what its signer does. */
function senderAt(rate: bigint, sign: CoinSender["sign"] = () => Promise.reject()): CoinSender {
  const sender: Partial<CoinSender> = {
    networkCode: NETWORK,
    wallet: { name: "hot", address: "xpub", account: "aabbccdd" },
    consolidation: RULES,
    raising: { by: "never", afterBlocks: 1n },
    pollMs: 1,
    feeRate: async () => rate,
    costOf: () => ({ units: 0n, unitsForEach: EACH * rate }),
    termsOf: ({ place }) => ({ coins: String(place?.kind === "coins" && place.coins.length) }),
    sign,
  };
  return sender as CoinSender;
}
const log = pino({ level: "silent" });
const consolidate = (sender = senderAt(1n)): Promise<number> =>
  consolidateOnce({ database: world.database, log }, sender);
const setFloor = (floor: bigint, low = floor): Promise<void> =>
  run(`insert into treasury_limits (asset_id, floor_units, low_units, set_by)
    select id, ${floor}, ${low}, 'anna' from currencies where reference = 'ltc'`);
const sizes = async () =>
  (await listCoinSizes(world.database)).find((one) => one.networkCode === NETWORK);

test("the smaller half of the coins become one, and the larger ones stay free", async () => {
  await makeCoins(15, 1_000n);
  await makeCoins(15, 1_000_000n);
  expect(await consolidate()).toBe(15);
  const [send] = await sends();
  const taken = await listCoinsOf(world.database, send?.id ?? "");
  expect(new Set(taken.map(({ units }) => units))).toEqual(new Set([1_000n]));
  expect(await sizes()).toMatchObject({
    count: 30,
    consolidating: 15,
    sizes: [
      { from: 1_000_000n, count: 15, units: 15_000_000n },
      { from: 1_000n, count: 15, units: 15_000n },
    ],
  });
});

test.each([
  ["few coins", () => makeCoins(RULES.aboveCoins, 1_000n)],
  ["coins that are worth no more than their fee", () => makeCoins(40, EACH)],
])("%s stay as they are", async (_, make) => {
  await make();
  expect(await consolidate()).toBe(0);
  expect(await sends()).toEqual([]);
});

test("coins that are not final are neither counted nor taken", async () => {
  await makeCoins(30, 1_000_000n);
  await makeCoins(30, 1_000n, 95);
  expect(await consolidate()).toBe(15);
  const [send] = await sends();
  const taken = await listCoinsOf(world.database, send?.id ?? "");
  expect(new Set(taken.map(({ units }) => units))).toEqual(new Set([1_000_000n]));
});

test("nothing is consolidated above the operator's rate, or where the fee is above the limit", async () => {
  await makeCoins(40, 1_000n);
  expect(await consolidate(senderAt(RULES.feeRateMax + 1n))).toBe(0);
  const dear = (message: string) => () => {
    throw new FeeTooHigh(message);
  };
  expect(await consolidate({ ...senderAt(1n), feeRate: async () => dear("a byte")() })).toBe(0);
  const costly = { ...senderAt(1n), termsOf: dear("above the limit") };
  await expect(consolidate(costly)).rejects.toThrow("above the limit");
  expect(await sends()).toEqual([]);
});

test("the stock stays above the level of warning, so promises and quotes go on", async () => {
  await makeCoins(40, 1_000n);
  await setFloor(10_000n, 28_500n);
  expect(await consolidate()).toBe(11);
  await run(
    "set local session_replication_role = replica; delete from chain_sends; update chain_coins set send_id = null; update treasury_limits set low_units = 31000",
  );
  expect(await consolidate()).toBe(0);
});

test("a wallet consolidates one transaction at a time, whoever begins it", async () => {
  await makeCoins(60, 1_000n);
  const counts = await Promise.all(Array.from({ length: 8 }, () => consolidate()));
  expect(counts.filter((count) => count > 0)).toEqual([30]);
  expect(await sends()).toHaveLength(1);
  await expect(
    run(
      "insert into chain_sends (id, wallet_id, purpose) values (gen_random_uuid(), 'ltc', 'rebalance')",
    ),
  ).rejects.toMatchObject({ constraint: "chain_sends_one_rebalance" });
});

test("a payout and a consolidation never take one coin", async () => {
  for (let round = 0; round < 10; round += 1) {
    await run(
      `set local session_replication_role = replica; delete from chain_coins; delete from chain_sends`,
    );
    await makeCoins(40, 1_000n);
    const sendId = randomUUID();
    await run(
      `insert into chain_sends (id, wallet_id, purpose) values ('${sendId}', 'ltc', 'payout')`,
    );
    const walletKey = { networkCode: NETWORK, account: "aabbccdd" };
    const [paying, count] = await Promise.all([
      world.database.transaction((tx) =>
        takeCoins(tx, walletKey, { sendId, units: 25_000n, unitsForEach: 0n }),
      ),
      consolidate(),
    ]);
    const [send] = await sends();
    expect((await listCoinsOf(world.database, sendId)).length).toBe(paying);
    expect(send === undefined ? 0 : (await listCoinsOf(world.database, send.id)).length).toBe(
      count,
    );
  }
});

const gatewayOf = (sender: CoinSender): ChainGateway =>
  makeLiveCoins({
    ...{ database: world.database, log, sender, installation: "test" },
    signRelease: () => "",
  }) as Partial<ChainGateway> as ChainGateway;
const drive = (sender: CoinSender): Promise<void> =>
  fillHoles({ ...world.deps, chain: gatewayOf(sender) }, 60);

test("coins whose consolidation the signer refused are free at once, and are tried again after an hour", async () => {
  await makeCoins(40, 1_000n);
  let reason = "log";
  const sender = senderAt(1n, () => Promise.reject(new SigningRefused(reason, reason)));
  expect(await consolidate(sender)).toBe(20);
  // The signer may have signed it.
  await drive(sender);
  expect(await sends()).toMatchObject([{ state: "bound" }]);
  reason = "fee";
  await drive(sender);
  expect(await sends()).toMatchObject([{ state: "vacated" }]);
  expect(await sizes()).toMatchObject({ consolidating: 0 });
  expect(await consolidate(sender)).toBe(0);
  await moveClock(world.database, 3_601);
  expect(await consolidate(sender)).toBe(20);
});

test.each([
  { kind: "rail", subject: `chain:${NETWORK}` },
  { kind: "network", subject: NETWORK },
] as const)(
  "while the payouts of $kind $subject are stopped no consolidation begins, and none is signed",
  async (stopped) => {
    await makeCoins(40, 1_000n);
    const stop = { reason: "a test", setBy: "anna", peopleToResume: 1 } as const;
    expect(await consolidate()).toBe(20);
    await putStop(world.database, { ...stopped, ...stop });
    let questions = 0;
    const countingSender = senderAt(1n, () => {
      questions += 1;
      return Promise.reject(new Error("asked"));
    });
    expect(await listOwnSends(world.database)).toMatchObject([{ isStopped: true }]);
    await drive(countingSender);
    expect(questions).toBe(0);
    await run(
      "set local session_replication_role = replica; delete from chain_sends; update chain_coins set send_id = null",
    );
    expect(await consolidate()).toBe(0);
    await run("set local session_replication_role = replica; delete from stops");
    expect(await consolidate()).toBe(20);
    await drive(countingSender);
    expect(questions).toBe(1);
  },
);

const STOP = {
  kind: "network",
  subject: NETWORK,
  reason: "a test",
  setBy: "anna",
  peopleToResume: 1,
} as const;
const resume = (): Promise<void> =>
  run("set local session_replication_role = replica; delete from stops");

test("a consolidation that was listed before a stop is not signed after it", async () => {
  await makeCoins(40, 1_000n);
  await consolidate();
  const [listed] = await listOwnSends(world.database);
  let questions = 0;
  const sender = senderAt(1n, () => {
    questions += 1;
    return Promise.reject(new Error("asked"));
  });
  const advance = () => advanceOwnSend(world.deps, gatewayOf(sender), found(listed));
  await putStop(world.database, STOP);
  await expect(advance()).rejects.toThrow("payouts of litecoin are stopped");
  expect(questions).toBe(0);
  await resume();
  await expect(advance()).rejects.toThrow("asked");
  expect(questions).toBe(1);
});

test("no raise of a consolidation's fee is bound after a stop", async () => {
  await makeCoins(40, 1_000n);
  await consolidate();
  const [send] = await sends();
  const raises = found(send).id;
  const transactionHash = "ab".repeat(32);
  await storeOwn(world.database, raises, { transactionHash, bytes: Uint8Array.of(1) });
  const change = { outpoint: `${transactionHash}:0`, index: 7, units: 19_000n };
  const raise = {
    ...{ id: randomUUID(), raises, networkCode: NETWORK, account: "aabbccdd", change },
    terms: { rate: "9" },
  };
  const bind = () => world.database.transaction((tx) => bindRaise(tx, raise));
  await putStop(world.database, STOP);
  expect(await bind()).toBe(false);
  await resume();
  expect(await bind()).toBe(true);
});
