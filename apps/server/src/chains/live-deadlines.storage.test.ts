import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PayoutWaits, type Preflight } from "../domain/ports/chain-gateway.ts";
import type { DeadlineSender, UnderWay } from "../domain/ports/chain-sender.ts";
import { bindPlaces } from "../storage/payouts/sends.ts";
import { owePayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makeLiveDeadlines } from "./live-deadlines.ts";

const NETWORK = "bitcoin";
const ADDRESS = "0xhot";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.database.transaction((tx) =>
    tx.runScript(`
      insert into chain_wallets (id, network_code, address) values ('hot', '${NETWORK}', '${ADDRESS}');
      insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);`),
  );
});
afterAll(() => world.close());

/** Returns the sends with a network that answers so, its questions, and the statements that ran. */
function makeSends(rules: Pick<DeadlineSender, "countsUnderWay">, answer: Preflight) {
  const preflightInputs: (UnderWay | undefined)[] = [];
  const statements: string[] = [];
  const sender: Partial<DeadlineSender> = {
    ...rules,
    networkCode: NETWORK,
    wallet: { name: "hot", address: ADDRESS },
    preflight: async (_, underWay) => {
      preflightInputs.push(underWay);
      return answer;
    },
  };
  const { database } = world;
  const sends = makeLiveDeadlines({
    database: {
      ...database,
      query: (statement, values) => {
        statements.push(statement.name);
        return database.query(statement, values);
      },
    },
    log: pino({ level: "silent" }),
    sender: sender as DeadlineSender,
    installation: "test",
    signRelease: () => "",
  });
  return { sends, preflightInputs, statements };
}

async function newPayment() {
  const { id: intentId, units, address } = await owePayout(world, 100n);
  return { intentId, units, assetReference: "btc", address: address ?? "", memo: null };
}

/** Asks about a payout. Returns the statements that ran, and the sends under way that the sender was told. */
async function preflight(rules: Pick<DeadlineSender, "countsUnderWay">) {
  const made = makeSends(rules, { state: "rejected", why: "as the test wants" });
  await made.sends.preflight({ ...(await newPayment()), networkCode: NETWORK });
  return made;
}

test("the sends under way are read for a network that counts them", async () => {
  const { preflightInputs, statements } = await preflight({ countsUnderWay: true });
  expect(preflightInputs).toMatchObject([{ readTo: 100n }]);
  expect(statements).toContain("chain_sends_under_way");
});

test("they are not read for another network", async () => {
  const { preflightInputs, statements } = await preflight({});
  expect(preflightInputs).toEqual([undefined]);
  expect(statements).not.toContain("chain_sends_under_way");
});

test("a bound payout is asked about again even if no other one is under way any more", async () => {
  const why = "the hot wallet has too little";
  const answer = { state: "wait", why, askAgainMs: 1_234 } as const;
  const { sends, preflightInputs } = makeSends({ countsUnderWay: true }, answer);
  const [id, payment] = [randomUUID(), await newPayment()];
  const { intentId } = payment;
  await world.database.transaction((tx) => bindPlaces(tx, [{ intentId, sendId: id }]));
  const bound = {
    ...({ id, networkCode: NETWORK, purpose: "payout", place: null } as const),
    outputs: [payment],
  } as const;
  const signing = sends.sign(bound);
  await expect(signing).rejects.toBeInstanceOf(PayoutWaits);
  await expect(signing).rejects.toMatchObject({ message: why, askAgainMs: 1_234 });
  expect(preflightInputs).toEqual([{ readTo: 100n, payments: [], sends: 0 }]);
});
