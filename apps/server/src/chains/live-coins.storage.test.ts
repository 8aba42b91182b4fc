import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChainSend } from "../domain/ports/chain-gateway.ts";
import { SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { makeStoreSigned } from "../storage/payouts/intents.ts";
import { listRaises } from "../storage/payouts/raises.ts";
import { storeTerms } from "../storage/payouts/releases.ts";
import { bindPlaces } from "../storage/payouts/sends.ts";
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

/** The sending half of a network whose signer refuses every raise for the reason. */
function refusing(reason: string) {
  const sender: Partial<CoinSender> = {
    networkCode: NETWORK,
    wallet: { name: "hot", address: "xpub", account: "aabbccdd" },
    raising: { by: "child", afterBlocks: 6n },
    feeRate: async () => 50n,
    costOf: () => ({ units: 1n, unitsForEach: 0n }),
    weigh: () => ({ fee: 1n, size: 100n }),
    childOf: () => ({
      change: { outpoint: `${HASH}:0`, index: 0, units: 90_000n },
      terms: { fee: "9" },
    }),
    sign: () => Promise.reject(new SigningRefused(reason, `refused: ${reason}`)),
  };
  return makeLiveCoins({
    database: world.database,
    log: pino({ level: "silent" }),
    sender: sender as CoinSender,
    installation: "test",
    signRelease: () => "",
  });
}

async function signedPayout(): Promise<ChainSend> {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const sendId = randomUUID();
  await world.database.transaction((tx) => bindPlaces(tx, [{ intentId: id, sendId }]));
  await storeTerms(world.database, { sendId, number: 1 }, { height: "90" });
  await makeStoreSigned(world.database)(await readPayout(world, id), transaction);
  return { id: sendId, networkCode: NETWORK, purpose: "payout", place: null, outputs: [] };
}

test("a raise that the signer refused is tried again after as many blocks as a raise waits", async () => {
  const send = await signedPayout();
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
  await expect(sign(id, "fee")).rejects.toThrow(`raise ${id} has lost its coin`);
  await expect(sign(found(second).id, "fee")).rejects.toThrow("refused: fee");
  expect((await raise()).map(({ isRefused }) => isRefused)).toEqual([true, true]);
});
