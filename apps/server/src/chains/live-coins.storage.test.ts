import { createHash, randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ChainSend,
  PayoutWaits,
  type SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { makeStoreSigned } from "../storage/payouts/intents.ts";
import { listRaises } from "../storage/payouts/raises.ts";
import { storeTerms } from "../storage/payouts/releases.ts";
import { adoptPayoutIntent, bindPlaces } from "../storage/payouts/sends.ts";
import { found } from "../testing/catalogue.ts";
import { owePayout, readPayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makeLiveCoins } from "./live-coins.ts";

const NETWORK = "bitcoin";
const HASH = "ab".repeat(32);
const transaction = {
  networkCode: NETWORK,
  transactionHash: HASH,
  bytes: Uint8Array.of(1),
};

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
beforeAll(async () => {
  world = await makeWorld();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, address, kind, next_place)
      values ('btc', '${NETWORK}', 'xpub', 'coins', null)`);
});
afterAll(() => world.close());

/** The sending half of a network whose signer refuses every raise for the reason, once it may answer. */
function refusing(
  reason: string,
  by: "child" | "replace" = "child",
  answer: () => Promise<void> = () => Promise.resolve(),
  feeRate: CoinSender["feeRate"] = async () => 50n,
) {
  const sender: Partial<CoinSender> = {
    networkCode: NETWORK,
    wallet: { name: "hot", address: "xpub", account: "aabbccdd" },
    raising: { by, afterBlocks: 6n },
    feeRate,
    refusalOf: () => undefined,
    costOf: () => ({ units: 1n, unitsForEach: 0n }),
    weigh: () => ({ fee: 1n, size: 100n }),
    childOf: () => ({
      change: { outpoint: `${HASH}:0`, index: 0, units: 90_000n },
      terms: { fee: "9" },
    }),
    pollMs: 1,
    isKnown: async () => true,
    replacementOf: () => ({ fee: "9" }),
    sign: async () => {
      await answer();
      throw new SigningRefused(reason, `refused: ${reason}`);
    },
  };
  return makeLiveCoins({
    database: world.database,
    log: pino({ level: "silent" }),
    sender: sender as CoinSender,
    installation: "test",
    signRelease: () => "",
  });
}

async function signedPayout(
  hash = HASH,
): Promise<{ readonly send: ChainSend; readonly signed: SignedTransaction }> {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const sendId = randomUUID();
  await world.database.transaction((tx) => bindPlaces(tx, [{ intentId: id, sendId }]));
  await storeTerms(world.database, { sendId, number: 1 }, { height: "90" });
  const signed = { ...transaction, transactionHash: hash };
  await makeStoreSigned(world.database)(await readPayout(world, id), signed);
  const coin = `${createHash("sha256").update(sendId).digest("hex")}:0`;
  await run(`
    insert into chain_coins (network_code, outpoint, account, branch, key_index, units, height, matures_at, send_id)
      values ('${NETWORK}', '${coin}', 'aabbccdd', 0, 0, 500, 80, 81, '${sendId}')`);
  const output = { intentId: id, assetReference: "btc", address: "bc1q", memo: null, units: 100n };
  const send: ChainSend = {
    ...{ id: sendId, networkCode: NETWORK, purpose: "payout" },
    ...{ place: null, outputs: [output] },
  };
  return { send, signed };
}

test("a raise that the signer refused is tried again after as many blocks as a raise waits", async () => {
  const { send } = await signedPayout();
  const raise = async () => {
    await refusing("fee").replace(send, transaction);
    return listRaises(world.database, send.id);
  };
  const sign = (id: string, reason: string) =>
    refusing(reason).sign({ ...send, id, purpose: "raise" });
  const [first] = await raise();
  const { id } = found(first);
  // The signer may have signed it, so it stays.
  await expect(sign(id, "log")).rejects.toThrow("refused: log");
  expect(await raise()).toMatchObject([{ id, isRefused: false }]);
  await expect(sign(id, "replacement")).rejects.toThrow("refused: replacement");
  expect(await raise()).toMatchObject([{ id, isRefused: true, terms: { height: "100" } }]);
  await run("update chain_cursors set height = 105");
  expect(await raise()).toHaveLength(1);
  await run("update chain_cursors set height = 106");
  const [, second] = await raise();
  expect(second).toMatchObject({ isRefused: false, terms: { height: "106" } });
  await expect(sign(id, "fee")).rejects.toThrow(`raise ${id} has lost its coins`);
  await expect(sign(found(second).id, "fee")).rejects.toThrow("refused: fee");
  expect((await raise()).map(({ isRefused }) => isRefused)).toEqual([true, true]);
});

test("a refusal that a frozen worker records late frees no change that another worker's raise spends", async () => {
  const { send } = await signedPayout("34".repeat(32));
  const raise = async () => {
    await refusing("fee").replace(send, { ...transaction, transactionHash: "34".repeat(32) });
    return found((await listRaises(world.database, send.id)).at(-1));
  };
  const { id } = await raise();
  const own = { ...send, id, purpose: "raise", outputs: [] } as const;
  let thaw = () => {};
  let frozen: Promise<unknown> = Promise.resolve();
  await new Promise<void>((onQuestion) => {
    const answer = () =>
      new Promise<void>((resolve) => {
        thaw = resolve;
        onQuestion();
      });
    frozen = refusing("fee", "child", answer).sign(own);
  });
  // The other worker asks before the refusal is recorded, and the signer may have signed.
  await expect(refusing("log").sign(own)).rejects.toThrow("refused: log");
  thaw();
  await expect(frozen).rejects.toThrow("refused: fee");
  expect(await raise()).toMatchObject({ id, isRefused: false });
});

test("a replacement that the signer refused is tried again after as many blocks as a raise waits", async () => {
  await run("update chain_cursors set height = 200");
  const send = await signedPayout("12".repeat(32));
  const gateway = refusing("fee", "replace");
  const isStuck = async (): Promise<unknown> => {
    const outcome = await gateway.follow(send.send, [send.signed]);
    return outcome.state === "waiting" && outcome.isStuck;
  };
  expect(await isStuck()).toBe(true);
  expect(await gateway.replace(send.send, send.signed)).toBeUndefined();
  expect(await isStuck()).toBe(false);
  await run("update chain_cursors set height = 205");
  expect(await isStuck()).toBe(false);
  await run("update chain_cursors set height = 206");
  expect(await isStuck()).toBe(true);
});

test("a payout waits with the reason while a byte costs more than the limit, before and after it is bound", async () => {
  const why = "a byte costs 400 units, above the limit of 300";
  const sends = refusing("fee", "child", undefined, () => Promise.reject(new FeeTooHigh(why)));
  const { id: intentId, units } = await owePayout(world, 100n);
  const output = { intentId, units, assetReference: "btc", address: "bc1q", memo: null };
  const preflight = await sends.preflight({ ...output, networkCode: NETWORK });
  expect(preflight).toEqual({ state: "wait", why, askAgainMs: 10_000 });
  const sendId = randomUUID();
  await world.database.transaction((tx) => bindPlaces(tx, [{ intentId, sendId }]));
  const signing = sends.sign({
    ...({ id: sendId, networkCode: NETWORK, purpose: "payout", place: null } as const),
    outputs: [output],
  });
  await expect(signing).rejects.toBeInstanceOf(PayoutWaits);
  await expect(signing).rejects.toMatchObject({ message: why, askAgainMs: 10_000 });
});

test("an adopted payout has the fee that its block shows", async () => {
  const adopted = "cd".repeat(32);
  const { id } = await owePayout(world, 100n);
  const sendId = randomUUID();
  await world.database.transaction((tx) =>
    adoptPayoutIntent(tx, { intentId: id, sendId }, adopted),
  );
  await run(`
    insert into chain_coins (network_code, outpoint, account, branch, key_index, units, height, matures_at,
        spent_by, spent_height)
      values ('${NETWORK}', '${"ef".repeat(32)}:0', 'aabbccdd', 0, 0, 500, 80, 81, '${adopted}', 90)`);
  const send = {
    id: sendId,
    networkCode: NETWORK,
    purpose: "payout",
    place: null,
    outputs: [],
  } as const;
  const signed = { networkCode: NETWORK, transactionHash: adopted, bytes: new Uint8Array() };
  const follow = () => refusing("").follow(send, [signed]);
  await expect(follow()).rejects.toThrow(`the scanner has no fee of ${adopted}`);
  await run(`
    insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
      select '${NETWORK}', '${NETWORK}:' || name, 'xpub', id, units, 90, 'b', '${adopted}', source, 'final'
      from (values ('out0', -100, 'value'), ('fee', -7, 'fee')) as moved (name, units, source),
        (select id from currencies where network_code = '${NETWORK}' limit 1) as coin`);
  expect(await follow()).toMatchObject({ state: "final", hash: adopted, networkFee: 7n });
});

test("a final transaction that the database lacks settles a payout only if it makes every payment of its send", async () => {
  const { send, signed } = await signedPayout("56".repeat(32));
  const first = await readPayout(world, found(send.outputs[0]).intentId);
  const { id } = await owePayout(world, 250n);
  const lost = "78".repeat(32);
  await run(`set local session_replication_role = replica;
    insert into chain_send_outputs (send_id, number, intent_id, units, address)
      values ('${send.id}', 2, '${id}', 250, 'BC1QSECOND');
    update chain_coins set spent_by = '${lost}', spent_height = 90 where send_id = '${send.id}'`);
  const moves = (name: string, units: bigint, to: string, source = "value") =>
    run(`insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, counterparty, source, state)
      values ('${NETWORK}', '${NETWORK}:${lost}:${name}', 'xpub', ${first.assetId}, ${-units}, 90, 'b', '${lost}',
        '${to}', '${source}', 'final')`);
  const follow = () => refusing("").follow(send, [signed]);
  await moves("out0", first.units, first.address ?? "");
  await moves("out1", 251n, "bc1qsecond");
  await moves("fee", 7n, "", "fee");
  expect(await follow()).toEqual({ state: "dead", by: lost });
  await moves("out2", 250n, "bc1qsecond");
  expect(await follow()).toMatchObject({ state: "final", hash: lost, networkFee: 7n });
});
