import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SigningRefused } from "../domain/ports/chain-sender.ts";
import type { ChainSweeper } from "../domain/ports/chain-sweeper.ts";
import { moveClock } from "../flows/advance-clock.ts";
import { resumePayouts } from "../flows/payouts/resume.ts";
import { stopPayouts } from "../flows/payouts/stop.ts";
import { storeOwn } from "../storage/payouts/sends.ts";
import { statement } from "../storage/postgres/database.ts";
import {
  bindSweep,
  bindTopUp,
  listMoves,
  noteAsked,
  readFunds,
  readToppedUp,
  type StoredMove,
} from "../storage/treasury/sweeps.ts";
import { found } from "../testing/catalogue.ts";
import { operatorNamed } from "../testing/operators.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { advanceMove } from "./own-moves.ts";
import { sweepOnce } from "./sweep.ts";
import type { SweptNetwork } from "./top-up.ts";

const NETWORK = "ethereum";
const HOUR_SECONDS = 3_600;
const UNITS = 10n ** 9n;
const COIN = 10n ** 18n;
const TERMS = { type: "eip1559", gasLimit: "21000", maxFeePerGas: "2", maxPriorityFeePerGas: "1" };
const RULES = { aboveCents: 100n, ageMaxMs: 1_000, leftUnits: 0n, feeMax: COIN };
const SENDS = statement(
  "test_own_sends",
  `select purpose, state, asked_as as "askedAs" from chain_sends order by created_at, purpose`,
);

const STATE = statement("test_own_send", "select state from chain_sends where id = $1");
const SWEPT = statement(
  "test_swept_assets",
  `select output.asset_id as "assetId" from chain_sends send
     join chain_send_outputs output on output.send_id = send.id
     join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.address = $1 and send.purpose = 'sweep'`,
);

let world: World;
let coin: number;
let token: number;
/** The number of questions to the signer, which refuses each of them. */
let questions = 0;

const sweeper: ChainSweeper = {
  networkCode: NETWORK,
  hot: { name: "ethereum-hot", address: "0xhot" },
  funder: { name: "ethereum-hot", address: "0xhot" },
  depositAccount: (keyIndex) => `ethereum-deposits/${keyIndex}`,
  market: async () => ({
    costsOf: () => ({ offered: 225_000n, least: 150_000n, topUp: 63_000n }),
  }),
  termsOf: () => TERMS,
  topUpOffer: async () => ({ fee: 42_000n, terms: TERMS }),
  holdingOf: async () => ({ units: UNITS, coins: 0n, usedPlaces: 0n }),
  sign: async () => {
    questions += 1;
    throw new SigningRefused("limit", "the fees of the day are used");
  },
  broadcast: async () => {},
  follow: async () => ({ state: "waiting", isKnown: true, isStuck: false, askAgainMs: 1 }),
  close: async () => {},
};
const network: SweptNetwork = { sweeper, rules: RULES, topUps: { dayMax: COIN, keep: 0n } };

beforeAll(async () => {
  world = await makeWorld();
  const catalogue = world.deps.catalogue();
  coin = found(catalogue.currencyByCodeOrReference("eth")).id;
  token = found(catalogue.currencyByCodeOrReference("usdt-ethereum")).id;
  await run(`insert into chain_cursors (network_code, height, hash, final_height)
      values ('${NETWORK}', 9, '0x9', 9);
    insert into chain_wallets (id, network_code, role, address)
      values ('ethereum:hot', '${NETWORK}', 'hot', '0xhot');
    insert into wallet_balances (wallet_id, asset_id, units, height, used_places)
      values ('ethereum:hot', ${coin}, ${COIN}, 9, 0)`);
  for (const key of [1, 2]) await fund(key);
});
afterAll(() => world.close());
beforeEach(() => {
  questions = 0;
});

const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const sends = () => world.database.query<{ purpose: string; state: string }>(SENDS);
const cancels = async (): Promise<number> =>
  (await sends()).filter(({ purpose }) => purpose === "cancel").length;
const pass = async (times: number): Promise<void> => {
  for (let round = 0; round < times; round += 1) await sweepOnce(world.deps, network);
};

const newTopUp = (address: string) => ({
  ...{ sendId: randomUUID(), networkCode: NETWORK, units: 1n, assetId: coin, terms: TERMS },
  ...{ fee: 42_000n, dayMax: COIN, keep: 0n, isForRaise: false },
  ...{ deposit: { address }, funderAddress: "0xhot" },
});

/** Brings tokens to a deposit address that has no coins for the fee of its sweep. */
const fund = (key: number): Promise<void> =>
  run(`insert into chain_addresses
      (network_code, reference, account_fingerprint, key_index, address, watched_until)
      values ('${NETWORK}', 'r${key}', 'f', ${key}, '0xdeposit${key}', clock_timestamp());
    insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, source, state)
      values ('${NETWORK}', 'm${key}', '0xdeposit${key}', ${token}, ${UNITS}, 9, '0x9', 'balance', 'final');
    insert into unswept_deposits (network_code, address, asset_id, since)
      values ('${NETWORK}', '0xdeposit${key}', ${token}, clock_timestamp() - interval '1 day')`);

test("a signer that refuses every top-up makes at most one cancel an hour", async () => {
  await pass(6);
  expect(questions).toBeGreaterThan(0);
  expect(await cancels()).toBe(1);
  const units = await readToppedUp(world.database, NETWORK);
  expect(units).toBeGreaterThan(0n);
  await moveClock(world.database, HOUR_SECONDS - 60);
  await pass(3);
  expect(await cancels()).toBe(1);
  await moveClock(world.database, 61);
  await pass(6);
  expect(await cancels()).toBe(2);
  // The day's limit has the top-ups that were refused.
  expect(await readToppedUp(world.database, NETWORK)).toBe(2n * units);
});

test("a process that does not sweep gives up no move that another process has asked about", async () => {
  await moveClock(world.database, HOUR_SECONDS + 1);
  const topUp = newTopUp("0xdeposit1");
  expect(await world.database.transaction((tx) => bindTopUp(tx, topUp))).toBe("bound");
  const before = await cancels();
  const idle = { ...network, rules: undefined };
  const [read, ...others] = await listMoves(world.database, NETWORK);
  expect(others).toEqual([]);
  expect(found(read).askedAs).toBeNull();
  const account = "ethereum-deposits/1";
  expect(await noteAsked(world.database, { sendId: topUp.sendId, id: randomUUID() }, account)).toBe(
    account,
  );
  await advanceMove(world.deps, idle, found(read), []);
  expect(questions).toBe(0);
  expect(await cancels()).toBe(before);
  expect(await sends()).toContainEqual({ purpose: "top_up", state: "bound", askedAs: account });
});

/** Advances a move as it was listed before a stop: during the stop, and after its end. */
async function expectAskedOnceResumed(
  swept: SweptNetwork,
  stored: StoredMove,
  all: readonly StoredMove[],
): Promise<void> {
  const stop = { kind: "network", subject: NETWORK, by: operatorNamed("anna") } as const;
  await stopPayouts(world.deps, { ...stop, reason: "the node lies" });
  questions = 0;
  await advanceMove(world.deps, swept, stored, all);
  expect(questions).toBe(0);
  await resumePayouts(world.deps, stop);
  await advanceMove(world.deps, swept, stored, all);
  expect(questions).toBe(1);
}

test("a move that was listed before a stop is not signed after it", async () => {
  await pass(1);
  await moveClock(world.database, 2 * HOUR_SECONDS);
  const topUp = newTopUp("0xdeposit2");
  expect(await world.database.transaction((tx) => bindTopUp(tx, topUp))).toBe("bound");
  const moves = await listMoves(world.database, NETWORK);
  const bound = found(moves.find(({ id }) => id === topUp.sendId));
  await expectAskedOnceResumed(network, bound, moves);
});

test("tokens are swept before the coins of their address, which pay for it", async () => {
  await run(`insert into chain_addresses
      (network_code, reference, account_fingerprint, key_index, address, watched_until)
      values ('${NETWORK}', 'r3', 'f', 3, '0xdeposit3', clock_timestamp());
    insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, source, state)
      select '${NETWORK}', 'both' || asset, '0xdeposit3', asset, units, 9, '0x9', 'balance', 'final'
      from (values (${coin}, ${COIN}), (${token}, ${UNITS})) held (asset, units);
    insert into unswept_deposits (network_code, address, asset_id, since) values
      ('${NETWORK}', '0xdeposit3', ${token}, clock_timestamp() - interval '2 days'),
      ('${NETWORK}', '0xdeposit3', ${coin}, clock_timestamp() - interval '1 day')`);
  // The coins at the address pay for the sweep of the tokens, or for their own.
  const holdingOf = async (_address: string, assetId: number) => ({
    ...{ units: assetId === coin ? COIN : UNITS, coins: COIN, usedPlaces: 0n },
  });
  const funded = { ...network, sweeper: { ...sweeper, holdingOf } };
  await sweepOnce({ ...world.deps }, funded);
  const rows = await world.database.query<{ assetId: number }>(SWEPT, ["0xdeposit3"]);
  expect(rows).toEqual([{ assetId: token }]);
});

test("deposits too small for a sweep, however many and however new, do not hide an old one", async () => {
  await run(`insert into chain_addresses
      (network_code, reference, account_fingerprint, key_index, address, watched_until)
      select '${NETWORK}', 'small' || key, 'f', 1000 + key, '0xa' || key, clock_timestamp()
      from generate_series(1, 600) key;
    insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, source, state)
      select '${NETWORK}', 'small' || key, '0xa' || key, ${token}, 1, 9, '0x9', 'balance', 'final'
      from generate_series(1, 600) key;
    insert into unswept_deposits (network_code, address, asset_id, since)
      select '${NETWORK}', '0xa' || key, ${token}, clock_timestamp() from generate_series(1, 600) key`);
  await fund(4);
  const holdingOf = async () => ({ units: UNITS, coins: COIN, usedPlaces: 0n });
  const funded = { ...network, sweeper: { ...sweeper, holdingOf } };
  const swept = () => world.database.query<{ assetId: number }>(SWEPT, ["0xdeposit4"]);
  const end = await sweepOnce(world.deps, funded);
  expect(await swept()).toEqual([]);
  expect(await sweepOnce(world.deps, funded, end)).toBe("");
  expect(await swept()).toEqual([{ assetId: token }]);
});

test.each([
  ["fee", "vacated", { keyIndex: 7, asks: 1 }],
  ["terms", "bound", { keyIndex: 8, asks: 3 }],
])(
  "a sweep with a deadline that the signer refuses for its %s is %s",
  async (reason, state, { keyIndex, asks }) => {
    const deposit = `0xexpiring-${reason}`;
    const sendId = randomUUID();
    await run(`insert into chain_addresses
      (network_code, reference, account_fingerprint, key_index, address, watched_until)
      values ('${NETWORK}', '${reason}', 'f', ${keyIndex}, '${deposit}', clock_timestamp())`);
    const move = {
      ...{ sendId, networkCode: NETWORK, units: UNITS, assetId: token, terms: null },
      ...{ deposit: { address: deposit, keyIndex, usedPlaces: null }, hotAddress: "0xhot" },
    };
    expect(await world.database.transaction((tx) => bindSweep(tx, move))).toBe(true);
    let signRequests = 0;
    const refusing: ChainSweeper = {
      ...sweeper,
      deadlineTerms: async () => ({ expiration: "1", feeLimit: "9" }),
      sign: async () => {
        signRequests += 1;
        throw new SigningRefused(reason, "no");
      },
    };
    for (let round = 0; round < 3; round += 1) {
      const [stored] = (await listMoves(world.database, NETWORK)).filter(({ id }) => id === sendId);
      if (stored) await advanceMove(world.deps, { ...network, sweeper: refusing }, stored, []);
    }
    const rows = await world.database.query<{ state: string }>(STATE, [sendId]);
    expect(rows).toEqual([{ state }]);
    expect(signRequests).toBe(asks);
  },
);

/** Signs a top-up of the address, and returns it as it is listed. */
async function signTopUp(address: string, transactionHash: string) {
  await moveClock(world.database, 2 * HOUR_SECONDS);
  const topUp = newTopUp(address);
  await run(
    `update chain_sends set state = 'vacated' where state = 'bound' and purpose = 'top_up'`,
  );
  await moveClock(world.database, 2 * HOUR_SECONDS);
  expect(await world.database.transaction((tx) => bindTopUp(tx, topUp))).toBe("bound");
  await storeOwn(world.database, topUp.sendId, { transactionHash, bytes: Buffer.of(7) });
  const moves = await listMoves(world.database, NETWORK);
  return { moves, signed: found(moves.find(({ id }) => id === topUp.sendId)) };
}

const followed =
  (isKnown: boolean): ChainSweeper["follow"] =>
  async () => ({ state: "waiting", isKnown, isStuck: true, askAgainMs: 1 });

test("a move that was listed before a stop is not replaced after it", async () => {
  const { moves, signed } = await signTopUp("0xdeposit1", "0x77");
  const stuck = { ...network, sweeper: { ...sweeper, follow: followed(true) } };
  await expectAskedOnceResumed(stuck, signed, moves);
});

test("a top-up is raised by all that its wallet still has, and not by more: then its own bytes are sent again", async () => {
  const { signed, moves } = await signTopUp("0xdeposit2", "0x78");
  const wallet = { networkCode: NETWORK, address: "0xhot", assetId: coin };
  const most = 42_000n + (await readFunds(world.database, wallet));
  const sent: string[] = [];
  const raisedTo = (fee: bigint): SweptNetwork => ({
    ...network,
    sweeper: {
      ...sweeper,
      follow: followed(false),
      topUpOffer: async () => ({ fee, terms: TERMS }),
      broadcast: async ({ transactionHash }) => void sent.push(transactionHash),
    },
  });
  await advanceMove(world.deps, raisedTo(most + 1n), signed, moves);
  expect([questions, sent]).toEqual([0, ["0x78"]]);
  await advanceMove(world.deps, raisedTo(most), signed, moves);
  expect(questions).toBe(1);
});
