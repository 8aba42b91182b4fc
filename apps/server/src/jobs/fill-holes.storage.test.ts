import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import { SigningRefused } from "../domain/ports/chain-sender.ts";
import { FAILPOINTS, watchFailpoints } from "../failpoints.ts";
import { resumePayouts } from "../flows/payouts/resume.ts";
import { stopPayouts } from "../flows/payouts/stop.ts";
import { checkLedger } from "../storage/ledger/checks.ts";
import { findPayoutIntent } from "../storage/payouts/intents.ts";
import { statement } from "../storage/postgres/database.ts";
import { noteAsked, noteRefused } from "../storage/treasury/sweeps.ts";
import { found } from "../testing/catalogue.ts";
import { operatorNamed } from "../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { fillHoles } from "./fill-holes.ts";

const PAIR = { kind: "pair", subject: "eur-btc" } as const;
const by = operatorNamed("anna");

let world: OrderWorld;
beforeEach(async () => {
  world = await makeOrderWorld();
});
afterEach(async () => {
  watchFailpoints(() => {});
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

/** Stops the pair once, after the place of the next payout is committed and before it is signed. */
function stopBeforeSigning(): void {
  const chain = found(world.deps.chain) as { sign: ChainGateway["sign"] };
  const { sign } = chain;
  chain.sign = async (send) => {
    chain.sign = sign;
    await stopPayouts(world.deps, { ...PAIR, reason: "a test", by });
    return sign(send);
  };
}

const PLACES = statement(
  "test_places",
  `select send.place::int as place, send.purpose, send.state from chain_sends send
   where not is_vacated order by send.place`,
);
const ON_CHAIN = statement(
  "test_on_chain",
  `select nonce::int as place, units::int as units from sandbox.chain_transactions
   where network_code = 'bitcoin' and mined_at is not null order by nonce`,
);
const FEES = statement(
  "test_fees",
  "select count(*)::int as fees from ledger_entries where kind = 'network_fee' and merchant_id = 'house'",
);
const BIND_TOP_UP = `
  insert into chain_wallets (id, network_code, next_place) values ('bitcoin:hot', 'bitcoin', 1);
  insert into chain_sends (id, wallet_id, purpose, place) values ('$id', 'bitcoin:hot', 'top_up', 0);
  insert into chain_send_outputs (send_id, number, units, address, asset_id)
    select '$id', 1, 7, 'an address of ours', id from currencies where reference = 'btc'`;
const sendOf = async ({ payout }: OrderView) =>
  found(await findPayoutIntent(world.database, found(payout).id)).send;

/** An order whose payout is bound, stopped and not signed. */
async function leaveHole(): Promise<OrderView> {
  stopBeforeSigning();
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed);
  const owing = await world.until(placed, ({ payout }) => payout !== undefined);
  await expect.poll(() => sendOf(owing)).toMatchObject({ place: 0n });
  return owing;
}

async function completeAnother(): Promise<void> {
  const other = await world.order(ORDERS.swap);
  await world.pay(other);
  await world.untilStatus(other, "completed");
}

const fill = (afterSeconds = 0): Promise<void> => fillHoles(world.deps, afterSeconds);

/** Fills until nothing is left to do. */
async function fillToTheEnd(): Promise<void> {
  await expect
    .poll(async () => {
      await fill();
      const rows = await world.database.query<{ purpose: string; state: string }>(PLACES);
      return rows.find(({ purpose }) => purpose === "cancel")?.state;
    })
    .toBe("final");
}

test("the place that a stopped payout left is filled, and the payout takes another place", async () => {
  const stopped = await leaveHole();
  await fill();
  // No later place was signed, so nothing waits for this one.
  expect(await sendOf(stopped)).toMatchObject({ place: 0n });
  await completeAnother();
  await fillToTheEnd();
  expect(await sendOf(stopped)).toBeNull();
  expect((await world.read(stopped)).order.status).toBe("sending");
  await resumePayouts(world.deps, { ...PAIR, by });
  await world.untilStatus(stopped, "completed");
  expect(await world.database.query(PLACES)).toMatchObject([
    { place: 0, purpose: "cancel", state: "final" },
    { place: 1, purpose: "payout", state: "final" },
    { place: 2, purpose: "payout", state: "final" },
  ]);
  const onChain = await world.database.query<{ place: number; units: number }>(ON_CHAIN);
  expect(onChain.map(({ place }) => place)).toEqual([0, 1, 2]);
  expect(onChain[0]).toMatchObject({ units: 0 });
  expect(await world.database.query(FEES)).toEqual([{ fees: 3 }]);
});

test("a young place is left to its payout, which is signed there when it is resumed", async () => {
  const stopped = await leaveHole();
  await completeAnother();
  await fill(3_600);
  expect(await sendOf(stopped)).toMatchObject({ place: 0n });
  await resumePayouts(world.deps, { ...PAIR, by });
  await world.untilStatus(stopped, "completed");
  expect(await world.database.query(PLACES)).toMatchObject([
    { place: 0, purpose: "payout" },
    { place: 1, purpose: "payout" },
  ]);
});

test("two processes that fill one place, each crashing wherever it can, fill it once", async () => {
  const stopped = await leaveHole();
  await completeAnother();
  const places = FAILPOINTS.filter((name) => name.startsWith("hole."));
  const crashedAt = new Set<string>();
  watchFailpoints((name) => {
    if (!places.includes(name) || crashedAt.has(name)) return;
    crashedAt.add(name);
    throw new Error(`crashed at ${name}`);
  });
  for (let round = 0; round < 2 * places.length; round += 1) {
    await Promise.allSettled([fill(), fill()]);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect([...crashedAt].sort()).toEqual([...places].sort());
  watchFailpoints(() => {});
  await fillToTheEnd();
  await resumePayouts(world.deps, { ...PAIR, by });
  await world.untilStatus(stopped, "completed");
  const onChain = await world.database.query<{ place: number; units: number }>(ON_CHAIN);
  expect(onChain.map(({ place }) => place)).toEqual([0, 1, 2]);
});

const refuse = async (): Promise<never> => {
  throw new SigningRefused("replacement", "the transaction was replaced 3 times already");
};

test.each([
  ["the signer refuses a higher fee", refuse],
  ["another transaction raises its fee", async (): Promise<undefined> => undefined],
] as const)("a cancel that the nodes dropped is sent again while %s", async (_, raise) => {
  const stopped = await leaveHole();
  await completeAnother();
  const chain = found(world.deps.chain) as {
    -readonly [Name in keyof ChainGateway]: ChainGateway[Name];
  };
  const { follow, replace, broadcast } = chain;
  const sent: string[] = [];
  chain.broadcast = async (transaction) => {
    sent.push(transaction.transactionHash);
    return broadcast(transaction);
  };
  chain.follow = async (send, signed) =>
    send.purpose === "cancel"
      ? { state: "waiting", isKnown: false, isStuck: true, askAgainMs: 1 }
      : follow(send, signed);
  chain.replace = raise;
  await fill();
  await fill();
  expect(sent).toEqual([found(sent[0]), found(sent[0])]);
  Object.assign(chain, { follow, replace, broadcast });
  await fillToTheEnd();
  await resumePayouts(world.deps, { ...PAIR, by });
  await world.untilStatus(stopped, "completed");
});

test("the place of a top-up that was not signed is filled, unless the signer may have signed it", async () => {
  const id = randomUUID();
  const run = (text: string) =>
    world.database.transaction((tx) => tx.runScript(text.replaceAll("$id", id)));
  await run(BIND_TOP_UP);
  const [first, second] = [randomUUID(), randomUUID()].map((one) => ({ sendId: id, id: one }));
  expect(await noteAsked(world.database, found(first), "deposits/1")).toBe("deposits/1");
  await completeAnother();
  await fill();
  const own = { place: 0, purpose: "top_up", state: "bound" };
  expect(await world.database.query(PLACES)).toMatchObject([own, { place: 1 }]);
  await expect(run("update chain_sends set state = 'vacated' where id = '$id'")).rejects.toThrow(
    "the signer may have signed send",
  );
  // A rails file with another name asks by the first one.
  expect(await noteAsked(world.database, found(second), "other/1")).toBe("deposits/1");
  // The second question may have been signed after the first one was refused.
  await noteRefused(world.database, found(first));
  await fill();
  expect(await world.database.query(PLACES)).toMatchObject([own, { place: 1 }]);
  await noteRefused(world.database, found(second));
  await fillToTheEnd();
  expect(await noteAsked(world.database, found(first), "deposits/1")).toBeUndefined();
  expect(await world.database.query(PLACES)).toMatchObject([
    { place: 0, purpose: "cancel", state: "final" },
    { place: 1, purpose: "payout", state: "final" },
  ]);
});
