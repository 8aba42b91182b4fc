import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BoundPayout } from "../../domain/payouts/payout-intent.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { type Database, statement } from "../postgres/database.ts";
import { vacate } from "./holes.ts";
import { makeStoreSigned } from "./intents.ts";
import { addSigned, bindPlaces, endSend } from "./sends.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const RELEASE = statement(
  "test_release_payout",
  "update payout_intents set released_at = business_now() where id = $1",
);

async function bound(): Promise<BoundPayout> {
  const { id } = await owePayout(world, 100n);
  await world.database.query(RELEASE, [id]);
  const sends = [{ intentId: id, sendId: randomUUID() }];
  await world.database.transaction((tx) => bindPlaces(tx, sends));
  return readPayout(world, id);
}

const signedAs = (payout: BoundPayout, database: Database = world.database) =>
  makeStoreSigned(database)(payout, {
    transactionHash: `0x${randomUUID()}`,
    bytes: Uint8Array.of(1, 2),
  });

/** Runs a statement about a send, and returns why the database refuses it. */
async function refusal(text: string, payout: BoundPayout): Promise<string> {
  const of = text.replaceAll("$send", `'${payout.send?.id}'`).replaceAll("$id", `'${payout.id}'`);
  const running = world.database.transaction((tx) => tx.runScript(of));
  return running.then(
    () => "accepted",
    (error: Error) => error.message,
  );
}

test("payouts that are bound at the same time have places without a gap", async () => {
  const owed = await Promise.all(Array.from({ length: 24 }, () => owePayout(world, 100n)));
  for (const { id } of owed) await world.database.query(RELEASE, [id]);
  await Promise.all(
    owed.map(({ id: intentId }) =>
      world.database.transaction((tx) => bindPlaces(tx, [{ intentId, sendId: randomUUID() }])),
    ),
  );
  const bindings = await Promise.all(owed.map(({ id }) => readPayout(world, id)));
  const places = bindings.map(({ send }) => Number(send?.place)).toSorted((a, b) => a - b);
  const [first = 0] = places;
  expect(places.map((place) => place - first)).toEqual(places.map((_, index) => index));
});

test.each([
  ["update chain_sends set place = place + 1000 where id = $send", "keeps its wallet"],
  ["update chain_sends set purpose = 'cancel' where id = $send", "keeps its wallet"],
  [
    "insert into chain_sends (id, wallet_id, purpose, place) select gen_random_uuid(), wallet_id, 'payout', place from chain_sends where id = $send",
    "chain_sends_place",
  ],
  [
    "insert into chain_send_outputs select $send, 2, $id, units, address from payout_intents where id = $id",
    "chain_send_outputs_intent",
  ],
  [
    "insert into chain_send_outputs select $send, 2, $id, units + 1, address from payout_intents where id = $id",
    "says what its payout intent says",
  ],
  [
    "update chain_send_outputs set address = 'elsewhere' where send_id = $send",
    "cannot be changed",
  ],
  ["delete from chain_send_outputs where send_id = $send", "insert-only"],
  ["delete from chain_sends where id = $send", "insert-only"],
  ["update chain_sends set state = 'final' where id = $send", "violates check constraint"],
  ["update chain_wallets set next_place = next_place - 1", "never goes back"],
])("the database refuses %s", async (text, message) => {
  expect(await refusal(text, await bound())).toContain(message);
});

test("several signed transactions of a send are kept as they are", async () => {
  const payout = await bound();
  await signedAs(payout);
  const second = { transactionHash: `0x${randomUUID()}`, bytes: Uint8Array.of(3) };
  await addSigned(world.database, payout.send?.id ?? "", { ...second, number: 2 });
  expect(
    await refusal("update chain_transactions set bytes = '' where send_id = $send", payout),
  ).toContain("insert-only");
  expect(await refusal("delete from chain_transactions where send_id = $send", payout)).toContain(
    "insert-only",
  );
  expect(
    await refusal("update chain_sends set state = 'bound' where id = $send", payout),
  ).toContain("cannot go back");
});

test("a place is either signed or vacated, and not both", async () => {
  const vacateSend = ({ send }: BoundPayout): Promise<boolean> =>
    world.database.transaction((tx) =>
      vacate(tx, { sendId: send?.id ?? "", cancelId: randomUUID() }),
    );
  const signed = await bound();
  await signedAs(signed);
  expect(await vacateSend(signed)).toBe(false);
  expect(
    await refusal("update chain_sends set state = 'vacated' where id = $send", signed),
  ).toContain("keeps its place");
  const vacated = await bound();
  expect(await vacateSend(vacated)).toBe(true);
  expect(await signedAs(vacated)).toMatchObject({ state: "created", send: null });
  expect(
    await refusal("insert into chain_transactions values ($send, 1, 'late', '')", vacated),
  ).toContain("a vacated send is not signed");
  for (let round = 0; round < 20; round += 1) {
    const payout = await bound();
    const [wins, stored] = await Promise.all([vacateSend(payout), signedAs(payout)]);
    expect(stored.state).toBe(wins ? "created" : "signed");
  }
});

test("a signed payout on a chain is void only with the proof that its send is failed or dead", async () => {
  const payout = await bound();
  await signedAs(payout);
  const voidAs = (reason: string) =>
    refusal(
      `update payout_intents set state = 'void', void_reason = '${reason}' where id = $id`,
      payout,
    );
  for (const reason of ["rejected", "withdrawn"]) {
    expect(await voidAs(reason)).toContain("only when its rail rejected it");
  }
  expect(await voidAs("failed")).toContain("void only when its send is failed");
  await endSend(world.database, payout.send?.id ?? "", { state: "failed", hash: "0xmined" });
  expect(await voidAs("dead")).toContain("void only when its send is dead");
  expect(await voidAs("failed")).toBe("accepted");
  expect(await refusal("update chain_sends set state = 'dead' where id = $send", payout)).toContain(
    "stays so",
  );
});
