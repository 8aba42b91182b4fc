import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement } from "../postgres/database.ts";
import { migrate } from "../postgres/migrate.ts";

const MIGRATIONS = new URL("../migrations/", import.meta.url);

/** Migrates an empty database to the version before sends. */
async function databaseBeforeSends(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), "migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).toSorted();
  const before = names.findIndex((name) => name.endsWith("_sends.sql"));
  for (const name of names.slice(0, before)) {
    await cp(fileURLToPath(new URL(name, MIGRATIONS)), join(folder, name));
  }
  const database = await makeDatabase();
  onTestFinished(() => database.close());
  await database.transaction((tx) =>
    tx.runScript("drop schema public, sandbox cascade; create schema public"),
  );
  await migrate(database, { folder: pathToFileURL(`${folder}/`), prefix: "" });
  return database;
}

const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
const ROWS = `set local session_replication_role = replica;
  insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address, rail, nonce,
    state, transaction_hash, signed_bytes, settled_hash, void_reason, adopted_at, released_at)
  values
    ('${id(1)}', 1, 'm', 1, 5, 'bitcoin', 'a', 'chain', 0, 'void', 'h1', '\\x01', null, 'rejected', null, now()),
    ('${id(2)}', 2, 'm', 1, 5, 'bitcoin', 'a', 'chain', 1, 'confirmed', 'h2', '\\x02', 'r2', null, null, now()),
    ('${id(3)}', 3, 'm', 1, 5, 'bitcoin', 'a', 'chain', 2, 'signed', 'h3', '\\x03', null, null, null, now()),
    ('${id(4)}', 4, 'm', 1, 5, 'bitcoin', 'a', 'chain', 3, 'created', null, null, null, null, null, now()),
    ('${id(5)}', 5, 'm', 1, 5, 'bitcoin', 'a', 'chain', null, 'broadcast', 'h5', '', null, null, now(), now()),
    ('${id(6)}', 6, 'm', 1, 5, 'bitcoin', 'a', 'chain', null, 'created', null, null, null, null, null, null),
    ('${id(7)}', 7, 'm', 1, 5, null, null, 'bank', null, 'confirmed', 'b7', '\\x07', 'b7', null, null, now());
  insert into wallet_nonces values ('bitcoin', 4);
  insert into payout_replacements values ('${id(2)}', 1, 'r2', '\\x22', now());`;

const READ = statement(
  "test_read_sends",
  `select right(intent.id::text, 1)::int as payout, send.place::int, send.state, send.settled_hash as settled,
     array(select hash || ' ' || encode(bytes, 'hex') from chain_transactions t
       where t.send_id = send.id order by number) as signed, encode(intent.signed_bytes, 'hex') as bytes
   from payout_intents intent left join chain_send_outputs o on o.intent_id = intent.id
     left join chain_sends send on send.id = o.send_id order by intent.id`,
);
const NEXT = statement(
  "test_read_wallets",
  "select id, next_place::int as next from chain_wallets",
);

test("payouts of an earlier version have their places and transactions as sends", async () => {
  const database = await databaseBeforeSends();
  await database.transaction((tx) => tx.runScript(ROWS));
  await migrate(database);
  expect(await database.query(READ)).toEqual([
    { payout: 1, place: 0, state: "dead", settled: null, signed: ["h1 01"], bytes: null },
    { payout: 2, place: 1, state: "final", settled: "r2", signed: ["h2 02", "r2 22"], bytes: null },
    { payout: 3, place: 2, state: "signed", settled: null, signed: ["h3 03"], bytes: null },
    { payout: 4, place: 3, state: "bound", settled: null, signed: [], bytes: null },
    { payout: 5, place: null, state: "sent", settled: null, signed: ["h5 "], bytes: null },
    { payout: 6, place: null, state: null, settled: null, signed: [], bytes: null },
    { payout: 7, place: null, state: null, settled: null, signed: [], bytes: "07" },
  ]);
  expect(await database.query(NEXT)).toEqual([{ id: "bitcoin:hot", next: 4 }]);
});
