import { createHash, randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { type ChainGateway, type ChainSend, PayoutWaits } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { CoinSender } from "../domain/ports/coin-sender.ts";
import { watchFailpoints } from "../failpoints.ts";
import { makeReleasePayout } from "../flows/payouts/release.ts";
import { dropUnscreened } from "../flows/payouts/screen.ts";
import { listCoinsOf } from "../storage/chains/coins.ts";
import { leaveSharedSend } from "../storage/payouts/batches.ts";
import { makeStoreSigned } from "../storage/payouts/intents.ts";
import { planAgain, wasSigned } from "../storage/payouts/lost-sends.ts";
import { noteQuestion } from "../storage/payouts/questions.ts";
import { renewRelease, storeRelease, voidReleases } from "../storage/payouts/releases.ts";
import { leaveSend } from "../storage/payouts/screenings.ts";
import { addSigned, endSend } from "../storage/payouts/sends.ts";
import { putStop } from "../storage/payouts/stops.ts";
import { type Database, statement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { outdateScreenings, owePayout, readPayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makeLiveCoins } from "./live-coins.ts";

const NETWORK = "bitcoin";
/** The payouts of a test join however slowly they are released. */
const BATCH = { seconds: 3_600, outputsMax: 4 };
/** The units that each payout takes, its fee included, and those of a coin. */
const COST = 150_000n;
const COIN = 1_000_000n;

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
beforeAll(async () => {
  world = await makeWorld();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, address, kind, next_place)
      values ('btc', '${NETWORK}', 'xpub', 'coins', null)`);
});
beforeEach(() => run("update chain_sends set joins_until = null"));
afterAll(() => world.close());

async function makeCoin(units: bigint): Promise<void> {
  const outpoint = `${createHash("sha256").update(randomUUID()).digest("hex")}:0`;
  await run(`
    insert into chain_coins (network_code, outpoint, account, branch, key_index, units, height, matures_at)
      values ('${NETWORK}', '${outpoint}', 'aabbccdd', 0, 0, ${units}, 80, 81)`);
}

/** Owes payouts to different addresses. One of them is of a pair that may be stopped alone. */
async function owe(count: number, ofPair = 0): Promise<readonly string[]> {
  const payouts: BoundPayout[] = [];
  for (let number = 0; number < count; number += 1) payouts.push(await owePayout(world, 100n));
  for (const { id } of payouts) {
    await run(`set local session_replication_role = replica;
      update payout_intents set address = 'bc1q${id}' where id = '${id}'`);
  }
  const { orderId } = found(payouts[ofPair]);
  await run(`set local session_replication_role = replica;
    update orders set spend_asset_id = receive_asset_id where id = ${orderId}`);
  return payouts.map(({ id }) => id);
}

/** Returns the sending half of the network, and the transactions that it signed, by their payouts. */
function signing(
  mayPay: (send: ChainSend) => boolean = () => true,
  rate = 1n,
  database = world.database,
) {
  const signed: string[][] = [];
  const sender: Partial<CoinSender> = {
    networkCode: NETWORK,
    wallet: { name: "hot", address: "xpub", account: "aabbccdd" },
    batch: BATCH,
    feeRate: async () => rate,
    costOf: ({ outputs }) => ({ units: BigInt(outputs.length) * COST * rate, unitsForEach: 0n }),
    termsOf: ({ outputs, place }) => {
      const held = place?.kind === "coins" ? place.coins.map(({ units }) => units) : [];
      const left = held.reduce((sum, units) => sum + units, BigInt(-outputs.length) * COST * rate);
      if (left < 0n) throw new FeeTooHigh(`${-left} units too few`);
      return { pays: String(outputs.length) };
    },
    sign: async (send, terms, releases) => {
      if (!mayPay(send)) throw new SigningRefused("limit", "above the limit");
      expect(terms["pays"]).toBe(String(send.outputs.length));
      const payouts = send.outputs.map(({ intentId }) => intentId);
      expect(releases.map(({ text }) => payouts.find((id) => text.includes(id)))).toEqual(payouts);
      signed.push(payouts.toSorted());
      const transactionHash = createHash("sha256").update(payouts.join()).digest("hex");
      return { networkCode: NETWORK, transactionHash, bytes: Uint8Array.of(1) };
    },
  };
  const sends = makeLiveCoins({
    database,
    log: pino({ level: "silent" }),
    sender: sender as CoinSender,
    installation: "test",
    signRelease: () => "",
  });
  return { signed, sends };
}

const chain = { batchOf: () => BATCH } as Partial<ChainGateway> as ChainGateway;
const release = (id: string) =>
  readPayout(world, id).then(makeReleasePayout({ ...world.deps, chain }));
const leaveOnHit = (id: string) =>
  world.database.transaction((tx) => leaveSend(tx, id, randomUUID()));
const sendOf = async (id: string) => (await readPayout(world, id)).send;
const PAIR = { kind: "pair", subject: "btc-btc" } as const;
const toSend = ({ id, send, address, units }: BoundPayout): ChainSend => ({
  ...{ id: found(send ?? undefined).id, networkCode: NETWORK, purpose: "payout", place: null },
  outputs: [{ intentId: id, assetReference: "btc", address: address ?? "", memo: null, units }],
});

/** Does what the jobs of the payouts do, each once: release, and sign for all payouts of a send. */
async function drive(ids: readonly string[], { sends }: ReturnType<typeof signing>): Promise<void> {
  for (const id of ids) {
    await release(id);
    const payout = await readPayout(world, id);
    if (payout.state !== "created" || !payout.send?.isFirst) continue;
    const bytes = await sends.sign(toSend(payout)).catch(() => undefined);
    if (bytes) await makeStoreSigned(world.database)(payout, bytes);
  }
}
const statesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await readPayout(world, id)).state));

test("payouts that are released later join the send until its coins are taken", async () => {
  await makeCoin(COIN);
  const [first = "", second = "", late = ""] = await owe(3);
  for (const id of [first, second]) await release(id);
  const send = await sendOf(first);
  expect(send?.joinsForMs).toBeGreaterThan(0);
  expect(await sendOf(second)).toMatchObject({ id: send?.id });
  const signer = signing();
  await drive([first, second], signer);
  expect(signer.signed).toEqual([[first, second].toSorted()]);
  expect(await statesOf([first, second])).toEqual(["signed", "signed"]);
  await release(late);
  expect((await sendOf(late))?.id).not.toBe(send?.id);
});

test.each([
  ["the first", 0],
  ["another", 2],
])("%s payout that is stopped after it joined leaves, and is paid later", async (_, at) => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(3, at);
  const stopped = found(ids[at]);
  const others = ids.filter((id) => id !== stopped);
  for (const id of ids) await release(id);
  await putStop(world.database, {
    ...PAIR,
    reason: "a test",
    setBy: "anna",
    peopleToResume: 1,
  });
  const signer = signing();
  await drive(ids, signer);
  expect(signer.signed).toEqual([others.toSorted()]);
  expect(await statesOf([...others, stopped])).toEqual(["signed", "signed", "created"]);
  expect(await sendOf(stopped)).toBeNull();
  await run("set local session_replication_role = replica; delete from stops");
  await drive([stopped], signer);
  expect(await statesOf([stopped])).toEqual(["signed"]);
});

test("a payout that the signer refuses is alone at last, and the others are paid", async () => {
  const ids = await owe(4);
  // In the end each may be alone, and no block brings change.
  for (const _ of ids) await makeCoin(COIN);
  const [, refused = ""] = ids.toSorted();
  for (const id of ids) await release(id);
  const signer = signing(({ outputs }) => outputs.every(({ intentId }) => intentId !== refused));
  for (let round = 0; round < 3; round += 1) await drive(ids, signer);
  const left = await Promise.all(ids.map(async (id) => [id, (await readPayout(world, id)).state]));
  expect(Object.fromEntries(left)).toEqual(
    Object.fromEntries(ids.map((id) => [id, id === refused ? "created" : "signed"])),
  );
  expect(signer.signed.flat().toSorted()).toEqual(ids.filter((id) => id !== refused).toSorted());
});

test("payouts that have too few coins together are paid as far as they have", async () => {
  await run("update chain_coins set spent_by = 'gone', spent_height = 50 where spent_by is null");
  await makeCoin(COST * 2n);
  const ids = await owe(4);
  for (const id of ids) await release(id);
  const signer = signing();
  await drive(ids, signer);
  expect(signer.signed).toHaveLength(1);
  expect(signer.signed[0]).toHaveLength(2);
});

test("a payout stays where the signer was asked, and where it is the only one", async () => {
  await makeCoin(COIN);
  const [first = "", second = ""] = await owe(2);
  for (const id of [first, second]) await release(id);
  const leave = (id: string) => world.database.transaction((tx) => leaveSharedSend(tx, id));
  await leave(second);
  expect(await sendOf(second)).toBeNull();
  await leave(first);
  expect(await sendOf(first)).not.toBeNull();
  await release(second);
  expect((await sendOf(second))?.id).toBe((await sendOf(first))?.id);
  await drive([first], signing());
  await leave(second);
  expect(await readPayout(world, second)).toMatchObject({ state: "signed", send: { place: null } });
});

test("a send is planned again when a payout leaves it between its plan and its signature", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(2);
  const [first = "", second = ""] = ids;
  for (const id of ids) await release(id);
  const signer = signing();
  watchFailpoints((name) => {
    if (name === "send.after_coins") throw new Error("crashed");
  });
  await drive(ids, signer);
  watchFailpoints(() => {});
  expect([await statesOf(ids), signer.signed]).toEqual([["created", "created"], []]);
  await world.database.transaction((tx) => leaveSharedSend(tx, first));
  await drive([second], signer);
  expect(signer.signed).toEqual([[second]]);
});

test("a plan is not made again for payouts that have left since", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(2);
  const [first = "", second = ""] = ids;
  for (const id of ids) await release(id);
  let leaves = true;
  const query: Database["query"] = async (statement, values) => {
    if (leaves && statement.name === "chain_fee_terms_find") {
      leaves = false;
      await leaveOnHit(second);
    }
    return world.database.query(statement, values);
  };
  const slow = signing(() => true, 1n, { ...world.database, query });
  await expect(slow.sends.sign(toSend(await readPayout(world, first)))).rejects.toThrow(
    "planned again",
  );
  await drive([first], slow);
  expect(slow.signed).toEqual([[first]]);
});

test("a payout that left a batch and lost its release holds up none of the others, in no version", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(2);
  const [first = "", second = ""] = ids;
  for (const id of ids) await release(id);
  const send = found((await sendOf(first)) ?? undefined);
  await leaveOnHit(second);
  await run(`update payout_intents set released_at = null where id = '${second}'`);
  const signer = signing();
  await drive([first], signer);
  expect([await statesOf(ids), signer.signed]).toEqual([["signed", "created"], [[first]]]);
  expect(await wasSigned(world.database, second)).toBe(false);
  const dearer = { transactionHash: "dearer", bytes: Uint8Array.of(2) };
  await addSigned(world.database, send.id, { number: 2, ...dearer });
});

test("a send that all of its payouts leave at once gives up its place", async () => {
  await makeCoin(COIN);
  const ids = await owe(3);
  for (const id of ids) await release(id);
  const send = found((await sendOf(found(ids[0]))) ?? undefined);
  expect(await Promise.all(ids.map(leaveOnHit))).toEqual([true, true, true]);
  const state = statement("test_send_state", "select state from chain_sends where id = $1");
  expect(await world.database.query(state, [send.id])).toEqual([{ state: "vacated" }]);
});

test("a payout whose screening is old leaves the others before they are signed", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(3);
  const [first = "", old = "", young = ""] = ids;
  for (const id of ids) await release(id);
  await outdateScreenings(world.database, (await readPayout(world, old)).orderId);
  const screener = { name: "list", screen: async () => [] };
  await dropUnscreened({ ...world.deps, chain, screener }, await readPayout(world, first));
  expect(await sendOf(old)).toBeNull();
  const signer = signing();
  await drive([first, young], signer);
  expect(signer.signed).toEqual([[first, young].toSorted()]);
});

test("a payout that left a send is not released with it, even if the signer refused it there", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(2);
  const [first = "", second = ""] = ids.toSorted();
  for (const id of ids) await release(id);
  const send = found((await sendOf(first)) ?? undefined);
  const text = { text: "a release", signature: "" };
  const leave = (id: string) => world.database.transaction((tx) => leaveSharedSend(tx, id));
  const key = { sendId: send.id, intentId: second };
  await leave(second);
  await expect(storeRelease(world.database, key, text)).rejects.toThrow("gave up its place");
  await release(second);
  expect((await sendOf(second))?.id).toBe(send.id);
  await storeRelease(world.database, key, text);
  const question = { sendId: send.id, id: randomUUID() };
  await noteQuestion(world.database, question);
  await voidReleases(world.database, question);
  await leave(second);
  expect(await renewRelease(world.database, key, text)).toBeUndefined();
});

test("of a lost send the payouts that completed no order are paid again together", async () => {
  await makeCoin(COIN);
  await makeCoin(COIN);
  const ids = await owe(4);
  const [winner = "", paid = "", ...unpaid] = ids;
  await drive([winner], signing());
  const { transactionHash: by } = await readPayout(world, winner);
  const lost = ids.slice(1);
  for (const id of lost) await release(id);
  await drive(lost, signing());
  const send = found((await sendOf(paid)) ?? undefined);
  await run(`
    update payout_intents set state = 'broadcast' where id = '${paid}';
    update payout_intents set state = 'confirmed', awaits_finality = true where id = '${paid}'`);
  await endSend(world.database, send.id, { state: "dead", by: found(by ?? undefined) });
  const again = () =>
    world.database.transaction((tx) =>
      planAgain(tx, { sendId: send.id, by: found(by ?? undefined) }),
    );
  for (let times = 0; times < 2; times += 1) expect(await again()).toBe(false);
  expect(await statesOf(lost)).toEqual(["confirmed", "created", "created"]);
  expect(await sendOf(paid)).toMatchObject({ id: send.id });
  for (const id of unpaid) await release(id);
  const [first, second] = await Promise.all(unpaid.map(sendOf));
  expect(first?.id).toBe(second?.id);
  expect(first?.id).not.toBe(send.id);
});

test("a payout whose terms the signer refused keeps its coins, and takes more of them when the rate has risen", async () => {
  await run("update chain_coins set spent_by = 'gone', spent_height = 50 where spent_by is null");
  await makeCoin(COST);
  const [id = ""] = await owe(1);
  await release(id);
  await run("update chain_sends set joins_until = null");
  const send = toSend(await readPayout(world, id));
  const refusing = signing(() => {
    throw new SigningRefused("fee", "the fee is too low");
  });
  await expect(refusing.sends.sign(send)).rejects.toThrow("the fee is too low");
  const coins = async () => (await listCoinsOf(world.database, send.id)).length;
  expect(await coins()).toBe(1);
  const dear = signing(() => true, 2n);
  const poor = dear.sends.sign(send);
  await expect(poor).rejects.toThrow("150000 units too few");
  await expect(poor).rejects.toBeInstanceOf(PayoutWaits);
  await makeCoin(COST);
  await drive([id], dear);
  expect(dear.signed).toEqual([[id]]);
  expect(await coins()).toBe(2);
});
