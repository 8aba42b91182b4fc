import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BoundPayout } from "../../domain/payouts/payout-intent.ts";
import { SigningRefused } from "../../domain/ports/chain-sender.ts";
import { found } from "../../testing/catalogue.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { vacate } from "./holes.ts";
import { makeStoreSigned } from "./intents.ts";
import { noteQuestion, type SignerQuestion } from "./questions.ts";
import {
  findRelease,
  findStoredTerms,
  forgetRefusedTerms,
  noteAsking,
  renewRelease,
  storeRelease,
  storeTerms,
  voidReleases,
} from "./releases.ts";
import { bindPlaces } from "./sends.ts";
import { openWallet } from "./wallets.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const RELEASE = statement(
  "test_release_payout",
  "update payout_intents set released_at = business_now() where id = $1",
);
const STOP = statement(
  "test_stop_all",
  `insert into stops (kind, subject, reason, set_by, people_to_resume)
   values ('rail', 'chain', 'a test', 'anna', 1)`,
);
const RESUME = statement("test_resume_all", "truncate stops cascade");
afterEach(() => world.database.query(RESUME));

async function bound(): Promise<BoundPayout> {
  const { id } = await owePayout(world, 100n);
  await world.database.query(RELEASE, [id]);
  const sends = [{ intentId: id, sendId: randomUUID() }];
  await world.database.transaction((tx) => bindPlaces(tx, sends));
  return readPayout(world, id);
}
const keyOf = ({ id, send }: BoundPayout) => ({
  sendId: found(send ?? undefined).id,
  intentId: id,
});
const vacateSend = (payout: BoundPayout): Promise<boolean> =>
  world.database.transaction((tx) =>
    vacate(tx, { sendId: keyOf(payout).sendId, cancelId: randomUUID() }),
  );
const TEXT = { text: "a release", signature: "a signature" };
/** Returns a new question to the signer about the send of a payout. */
async function ask(payout: BoundPayout): Promise<SignerQuestion> {
  const question = { sendId: keyOf(payout).sendId, id: randomUUID() };
  await noteQuestion(world.database, question);
  return question;
}
const refuse = async (payout: BoundPayout): Promise<void> =>
  voidReleases(world.database, await ask(payout));
const sign = (payout: BoundPayout) =>
  makeStoreSigned(world.database)(payout, {
    transactionHash: `0x${randomUUID()}`,
    bytes: Uint8Array.of(1),
  });

test("a place that the signer was asked about is given up only after a refusal", async () => {
  const payout = await bound();
  await storeRelease(world.database, keyOf(payout), TEXT);
  expect(await vacateSend(payout)).toBe(false);
  await refuse(payout);
  expect(await vacateSend(payout)).toBe(true);
  // The signer is not asked for a send that gave up its place.
  expect(await renewRelease(world.database, keyOf(payout), TEXT)).toBeUndefined();
});

test("of a refusal and a later question one comes first, and a release that the question found stays", async () => {
  for (let round = 0; round < 20; round += 1) {
    const payout = await bound();
    await storeRelease(world.database, keyOf(payout), TEXT);
    const earlier = await ask(payout);
    const [before] = await Promise.all([
      ask(payout).then(() => findRelease(world.database, keyOf(payout))),
      voidReleases(world.database, earlier),
    ]);
    expect(await findRelease(world.database, keyOf(payout))).toEqual(before);
  }
});

test("of a release and the loss of the place one happens, whoever comes first", async () => {
  for (let round = 0; round < 20; round += 1) {
    const payout = await bound();
    const [isVacated, stored] = await Promise.all([
      vacateSend(payout).catch(() => false),
      storeRelease(world.database, keyOf(payout), TEXT).then(
        () => true,
        () => false,
      ),
    ]);
    expect(stored).toBe(!isVacated);
  }
});

test("the first release of a send stays, and one that was refused is renewed", async () => {
  const payout = await bound();
  const key = keyOf(payout);
  await storeRelease(world.database, key, TEXT);
  const other = { text: "another release", signature: "another signature" };
  expect(await storeRelease(world.database, key, other)).toMatchObject({ ...TEXT, isVoid: false });
  expect(await renewRelease(world.database, key, other)).toBeUndefined();
  await refuse(payout);
  expect(await renewRelease(world.database, key, other)).toMatchObject({ ...other, isVoid: false });
  await sign(payout);
  await refuse(payout);
  expect(await storeRelease(world.database, key, TEXT)).toMatchObject({ ...other, isVoid: false });
});

test("the signer is not asked for a stopped payout, and its answer to an earlier question is stored", async () => {
  const [early, late] = [await bound(), await bound()];
  await storeRelease(world.database, keyOf(early), TEXT);
  await world.database.query(STOP);
  const stopped = { constraint: "payouts_stopped" };
  await expect(storeRelease(world.database, keyOf(late), TEXT)).rejects.toMatchObject(stopped);
  await expect(noteAsking(world.database, keyOf(early))).rejects.toMatchObject(stopped);
  await expect(sign(late)).rejects.toMatchObject(stopped);
  expect((await sign(early)).state).toBe("signed");
});

test("the first terms of a transaction stay until the signer refuses them", async () => {
  const payout = await bound();
  const key = { sendId: keyOf(payout).sendId, number: 1 };
  await storeTerms(world.database, key, { gas: "1" });
  expect(await storeTerms(world.database, key, { gas: "2" })).toEqual({ gas: "1" });
  const [early, last] = [await ask(payout), await ask(payout)];
  const refuse = (reason: string, question: SignerQuestion): Promise<boolean> =>
    forgetRefusedTerms(world.database, new SigningRefused(reason, "no"), {
      ...question,
      number: 1,
    });
  await refuse("fee", early);
  expect(await findStoredTerms(world.database, key)).toEqual({ gas: "1" });
  expect(await refuse("limit", last)).toBe(false);
  expect(await findStoredTerms(world.database, key)).toEqual({ gas: "1" });
  expect(await refuse("terms", last)).toBe(true);
  expect(await storeTerms(world.database, key, { gas: "2" })).toEqual({ gas: "2" });
  await sign(payout);
  await refuse("fee", last);
  expect(await findStoredTerms(world.database, key)).toEqual({ gas: "2" });
});

test("a new hot wallet replaces the earlier one once its transactions are final", async () => {
  const open = (address: string, next: bigint, role: "hot" | "gas" = "hot") => {
    const wallet = { networkCode: "ethereum", address, kind: "account", next, role } as const;
    return world.database.transaction((tx) => openWallet(tx, wallet));
  };
  const [first, second] = ["0xfirst", "0xsecond"];
  expect(await open(first, 7n)).toEqual({ state: "registered" });
  expect(await open(first, 9n)).toEqual({ state: "unchanged" });
  expect(await open(second, 0n)).toEqual({ state: "registered" });
  // It goes on where it was, or where the chain is by then.
  expect(await open(first, 3n)).toEqual({ state: "registered" });
  // A gas tank is beside it, and neither takes the role of the other.
  expect(await open("0xtank", 2n, "gas")).toEqual({ state: "registered" });
  expect(await open(second, 2n, "gas")).toEqual({ state: "of_other_role" });
  const places = await world.database.query(
    statement(
      "test_wallets",
      `select address, state, next_place::int as next from chain_wallets
       where network_code = 'ethereum' and role = 'hot' order by address`,
    ),
  );
  expect(places).toEqual([
    { address: first, state: "open", next: 7 },
    { address: second, state: "closed", next: 0 },
  ]);
});

test("a hot wallet with transactions that are not final is not replaced", async () => {
  const payout = await bound();
  const networkCode = found(payout.networkCode ?? undefined);
  const wallet = { networkCode, address: "0xnew", kind: "account", next: 0n, role: "hot" } as const;
  const result = await world.database.transaction((tx) => openWallet(tx, wallet));
  expect(result).toMatchObject({ state: "busy", sends: expect.any(Number) });
});
