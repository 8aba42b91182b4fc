import { money } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { floatEntry } from "../../domain/ledger/house-entries.ts";
import { bookHouseEntry, listFloats } from "../../storage/ledger/house.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { bookFloat } from "./book-float.ts";

/** The service reads the wallets of this network. */
const AUDITED = "solana";
const WAITING = statement(
  "test_waiting_for_locks",
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${AUDITED}', 9, '9', 9);
    insert into chain_wallets (id, network_code, address) values ('hot', '${AUDITED}', 'hot')`);
});
afterAll(() => world.close());

const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const coin = (reference: string) =>
  found(world.deps.catalogue().currencyByCodeOrReference(reference));

/** A transaction took five units of the asset from the hot wallet, and the books do not have it. */
const took = (hash: string, reference: string): Promise<void> =>
  run(`insert into chain_unbooked
      (network_code, id, address, asset_id, units, block_hash, transaction_hash, source, is_deposit)
    values ('${AUDITED}', '${hash} ${reference}', 'hot', ${coin(reference).id}, -5, '9', '${hash}', 'value', false)`);

/** Books five units, and returns the message of a refusal. */
const book = (
  currency: string,
  transaction: string,
  direction: "in" | "out",
): Promise<string | undefined> =>
  bookFloat(world.deps, {
    ...{ currency, transaction, direction, by: operatorNamed("anna") },
    amount: { units: 5n, scale: coin(currency).decimals },
  }).then(
    () => undefined,
    (error: Error) => error.message,
  );
const booked = async (hash: string): Promise<readonly string[]> =>
  (await listFloats(world.database, 50))
    .filter(({ key }) => key.includes(hash))
    .map((one) => one.assetReference)
    .toSorted();

test("each asset that one transaction took is booked, and once", async () => {
  const hash = "5uH2bXcQvZ9rKmTqLpWyAA";
  await took(hash, "usdc-solana");
  await took(hash, "usdt-solana");
  expect(await book("usdc-solana", hash, "out")).toBeUndefined();
  expect(await book("usdt-solana", hash, "out")).toBeUndefined();
  expect(await book("usdt-solana", hash, "out")).toContain("already contain transaction");
  expect(await booked(hash)).toEqual(["usdc-solana", "usdt-solana"]);
});

test("of two people who book one movement under two names at once, one does", async () => {
  // The first booking of an asset opens its accounts, for which a second one waits.
  const [first, hash] = ["5uH2bXcQvZ9rKmTqLpWyB1", "5uH2bXcQvZ9rKmTqLpWyB2"] as const;
  await took(first, "sol");
  expect(await book("sol", first, "out")).toBeUndefined();
  await took(hash, "sol");
  let answers: Promise<readonly (string | undefined)[]> = Promise.resolve([]);
  await world.database.transaction(async (tx) => {
    await tx.runScript(`select from chain_unbooked where transaction_hash = '${hash}' for update`);
    answers = Promise.all([hash, `${hash}:0`].map((name) => book("sol", name, "out")));
    await expect.poll(() => world.database.query(WAITING)).toHaveLength(2);
  });
  const refused = (await answers).filter((answer) => answer !== undefined);
  expect(refused).toEqual([expect.stringContaining("already contain transaction")]);
  expect(await booked(hash)).toEqual(["sol"]);
});

test("a refused amount leaves the movement to be booked", async () => {
  const hash = "5uH2bXcQvZ9rKmTqLpWyCC";
  await took(hash, "sol");
  expect(await book("sol", hash, "in")).toContain("moved 0.000000005 from our addresses");
  expect(await book("sol", hash, "out")).toBeUndefined();
});

/** A transaction that the service signed for a move of its own, in the state of its send. */
const signed = (hash: string, state: "sent" | "final"): Promise<void> =>
  run(`set local session_replication_role = replica;
    with send as (insert into chain_sends (id, wallet_id, purpose, state, settled_hash)
      values (gen_random_uuid(), 'hot', 'sweep', '${state}', ${state === "final" ? `'${hash}'` : "null"})
      returning id)
    insert into chain_transactions (send_id, number, hash, bytes) select id, 1, '${hash}', 'x' from send`);

test.each(["sent", "final"] as const)(
  "what a transaction of the service moved is booked by the service alone, also once its send is %s",
  async (state) => {
    const hash = `5uH2bXcQvZ9rKmTqLpWy${state}`;
    await took(hash, "sol");
    await signed(hash, state);
    const refusal = await book("sol", hash, "out");
    const words = { sent: "has not booked its end yet", final: "already contain transaction" };
    expect(refusal).toContain(words[state]);
    expect(await booked(hash)).toEqual([]);
  },
);

test("an asset that an earlier release booked is not booked again, and another one of its transaction is", async () => {
  const hash = "ab".repeat(32);
  const entry = { networkCode: "ethereum", name: hash, direction: "in" } as const;
  await world.database.transaction((tx) =>
    bookHouseEntry(tx, floatEntry({ ...entry, amount: money(coin("eth"), 5n) })),
  );
  expect(await book("eth", hash, "in")).toBe(`${hash} on ethereum was booked before.`);
  expect(await book("usdt-ethereum", hash, "in")).toBeUndefined();
  expect(await book("usdt-ethereum", hash, "in")).toBe(`${hash} on ethereum was booked before.`);
  expect(await booked(hash)).toEqual(["eth", "usdt-ethereum"]);
});
