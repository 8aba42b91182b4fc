import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { makeStoreSigned } from "./intents.ts";
import { findDeadTransaction, planAgain } from "./lost-sends.ts";
import { storeTerms } from "./releases.ts";
import { addSigned, bindPlaces } from "./sends.ts";

const PASSED_MS = 1_000;
let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const newHash = (): string => randomUUID().replaceAll("-", "").repeat(2);

beforeAll(async () => {
  world = await makeWorld();
  await run(`insert into chain_wallets (id, network_code, kind, next_place, address)
    values ('tron', 'bitcoin', 'expiring', null, 'T')`);
});
afterAll(() => world.close());

/** Returns a payout whose transaction is signed and has a deadline. */
async function signed(expiration: number) {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const bind = () =>
    world.database.transaction((tx) => bindPlaces(tx, [{ intentId: id, sendId: randomUUID() }]));
  await bind();
  const payout = await readPayout(world, id);
  const sendId = found(payout.send ?? undefined).id;
  await storeTerms(world.database, { sendId, number: 1 }, { expiration: String(expiration) });
  const transactionHash = newHash();
  await makeStoreSigned(world.database)(payout, {
    transactionHash,
    bytes: Buffer.from("01", "hex"),
  });
  const planned = (by = "deadline:7") =>
    world.database.transaction((tx) => planAgain(tx, { sendId, by }));
  return { id, sendId, transactionHash, bind, planned };
}

test("a payout is planned again once its deadline has passed, and names the dead transaction", async () => {
  const { id, sendId, transactionHash, bind, planned } = await signed(Date.now() - PASSED_MS);
  expect(await findDeadTransaction(world.database, id)).toBeNull();
  expect(await planned()).toBe(true);
  expect(await planned()).toBe(false);
  expect(await readPayout(world, id)).toMatchObject({ state: "created", send: null });
  expect(await findDeadTransaction(world.database, id)).toBe(transactionHash);
  await bind();
  const again = await readPayout(world, id);
  expect(again.send).toMatchObject({ place: null });
  expect(again.send?.id).not.toBe(sendId);
  // The same bytes cannot be those of the second send too.
  const bytes = Buffer.from("01", "hex");
  await expect(
    makeStoreSigned(world.database)(again, { transactionHash, bytes }),
  ).rejects.toThrow();
});

test.each([
  ["before its deadline", Date.now() + 60_000, "deadline:7"],
  ["by a stranger's transaction", Date.now() - PASSED_MS, "somebody"],
])("a payout does not leave its send %s", async (_, expiration, by) => {
  const { id, planned } = await signed(expiration);
  await expect(planned(by)).rejects.toThrow("a payout leaves a send that is lost");
  expect(await readPayout(world, id)).toMatchObject({ state: "signed" });
});

test("a send with a deadline has one transaction, and its payout one send", async () => {
  const { sendId, bind, id } = await signed(Date.now() - PASSED_MS);
  const second = { number: 2, transactionHash: newHash(), bytes: Buffer.from("02", "hex") };
  await expect(addSigned(world.database, sendId, second)).rejects.toThrow("has one transaction");
  await bind();
  expect((await readPayout(world, id)).send?.id).toBe(sendId);
});
