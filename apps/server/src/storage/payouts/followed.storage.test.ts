import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BoundPayout } from "../../domain/payouts/payout-intent.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { listOpenPayoutGroups } from "../audit/overview.ts";
import { listLateSends } from "../chains/books.ts";
import { statement } from "../postgres/database.ts";
import { countFollowed, findUnfollowed, makeFinal, noteMined } from "./followed.ts";
import { makeStoreSigned } from "./intents.ts";
import { bindPlaces, endSend } from "./sends.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const refusal = (text: string): Promise<string> =>
  run(text).then(
    () => "accepted",
    (error: Error) => error.message,
  );

async function signed(): Promise<BoundPayout> {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const sends = [{ intentId: id, sendId: randomUUID() }];
  await world.database.transaction((tx) => bindPlaces(tx, sends));
  return makeStoreSigned(world.database)(await readPayout(world, id), {
    transactionHash: `0x${randomUUID()}`,
    bytes: Uint8Array.of(1),
  });
}

/** A payout whose order was completed before its block is final. */
async function paid(): Promise<BoundPayout> {
  const { id } = await signed();
  await run(
    `update payout_intents set state = 'confirmed', awaits_finality = true where id = '${id}'`,
  );
  return readPayout(world, id);
}

/** The statement that docs/operating/payouts.md names for a payout that no job follows. */
const DOCUMENT = new URL("../../../../../docs/operating/payouts.md", import.meta.url);
const RESTORE = /```sql\n([^`]+)```/.exec(readFileSync(DOCUMENT, "utf8"))?.[1] ?? "";

const SEND = statement(
  "test_send_of",
  `select send.state, settled_hash as hash from chain_sends send
     join chain_send_outputs output on output.send_id = send.id where output.intent_id = $1`,
);
const sendOf = async ({ id }: BoundPayout) => (await world.database.query(SEND, [id]))[0];
const finalAt = (payout: BoundPayout, hash: string): Promise<boolean> =>
  world.database.transaction((tx) =>
    makeFinal(tx, { intentId: payout.id, hash, confirmations: 9 }),
  );

test("the send of a paid payout goes on, and ends once with the transaction that is final", async () => {
  const before = await countFollowed(world.database, "bitcoin");
  const payout = await paid();
  expect(await countFollowed(world.database, "bitcoin")).toBe(before + 1);
  expect(await sendOf(payout)).toEqual({ state: "signed", hash: null });
  await run(
    `update payout_intents set updated_at = business_now() - interval '1 hour' where id = '${payout.id}'`,
  );
  const lateAfter = (minedAgainSeconds: number) =>
    world.database.transaction((tx) =>
      listLateSends(tx, "bitcoin", { bookedSeconds: 600, minedAgainSeconds }),
    );
  expect(await lateAfter(7_200)).toEqual([]);
  expect(await lateAfter(1_800)).toMatchObject([{ id: payout.id }]);
  const open = await listOpenPayoutGroups(world.database);
  expect(open).toContainEqual(expect.objectContaining({ state: "paid and not final", count: 1 }));
  const problem = `payout ${payout.id} has no job that follows it`;
  expect(await findUnfollowed(world.database)).toMatchObject([{ problem, networkCode: "bitcoin" }]);
  await run(RESTORE);
  await run(RESTORE);
  expect(await findUnfollowed(world.database)).toEqual([]);
  await noteMined(world.database, payout.id, "another");
  expect(await readPayout(world, payout.id)).toMatchObject({ settledHash: "another" });
  expect(await finalAt(payout, "last")).toBe(true);
  expect(await finalAt(payout, "later")).toBe(false);
  await noteMined(world.database, payout.id, "later");
  expect(await readPayout(world, payout.id)).toMatchObject({
    settledHash: "last",
    confirmations: 9,
    awaitsFinality: false,
  });
  expect(await sendOf(payout)).toEqual({ state: "final", hash: "last" });
});

test("a payout that is final stays so, and one that is not becomes void by the proof of its send only", async () => {
  const lose = ({ id }: BoundPayout): string =>
    `update payout_intents set state = 'void', void_reason = 'dead', awaits_finality = false where id = '${id}'`;
  const final = await paid();
  await finalAt(final, "last");
  expect(await refusal(lose(final))).toContain("a confirmed payout intent stays so");
  const payout = await paid();
  expect(await refusal(lose(payout))).toContain("is void only when its send is dead");
  await endSend(world.database, payout.send?.id ?? "", { state: "dead", by: "foreign" });
  const back = `update payout_intents set state = 'broadcast', awaits_finality = false where id = '${payout.id}'`;
  expect(await refusal(back)).toContain("a confirmed payout intent stays so");
  expect(await refusal(lose(payout))).toBe("accepted");
});

test("only a payout that is just paid awaits its final block", async () => {
  const mark = ({ id }: BoundPayout, state: string): string =>
    `update payout_intents set state = '${state}', awaits_finality = true where id = '${id}'`;
  expect(await refusal(mark(await signed(), "signed"))).toContain("only a payout on a chain");
  const final = await paid();
  await finalAt(final, "last");
  expect(await refusal(mark(final, "confirmed"))).toContain("only a payout on a chain");
});
