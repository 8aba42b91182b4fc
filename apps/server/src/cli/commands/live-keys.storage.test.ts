import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listener, listen } from "../../signer/socket.ts";
import type { ChainChoices } from "../../start/rails/chain-choices.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { examineSigner } from "./live-keys.ts";

const ADDRESS = "0x00000000000000000000000000000000000000aa";
const WALLET = { network: "ethereum", keystore: "hot", path: "m/0", purpose: null };
const socket = join(mkdtempSync(join(tmpdir(), "exchange-live-keys-")), "signer.sock");
/** The highest nonce of the signer's log. */
let highest: string | null;
let isAsked = false;
let world: World;
let listener: Listener;

const run = (text: string): Promise<void> =>
  world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica; ${text}`),
  );

const storeSigned = (place: number): Promise<void> =>
  run(`with send as (insert into chain_sends (id, wallet_id, purpose, place, state)
      values (gen_random_uuid(), 'hot', 'payout', ${place}, 'sent') returning id)
    insert into chain_transactions (send_id, number, hash, bytes)
      select id, 1, '0x${place}', 'x' from send`);

const examine = (database: Database) =>
  examineSigner(database, { socket, installation: "shop-1", releaseKeyFile: "" }, {
    ethereum: { kind: "evm", hot: { wallet: "eth-hot", address: ADDRESS }, deposits: {} },
  } as unknown as ChainChoices);

beforeAll(async () => {
  world = await makeWorld();
  await run(`insert into chain_wallets (id, network_code, address, next_place)
    values ('hot', 'ethereum', '${ADDRESS}', 8)`);
  await storeSigned(6);
  listener = await listen(socket, () => {
    isAsked = true;
    return {
      id: 0,
      ok: {
        ...{ installation: "shop-1", fingerprints: { hot: "", deposits: "" } },
        ...{ logEntries: 1, logHead: "", accounts: { "eth-hot": { signatures: 1, highest } } },
        wallets: { "eth-hot": { ...WALLET, address: ADDRESS, publicKey: null } },
      },
    };
  });
});
afterAll(async () => {
  await listener.close();
  await world.close();
});

test.each([
  [null, "nonce none of eth-hot, and the database has a transaction that it signed at 6"],
  ["5", "nonce 5 of eth-hot, and the database has a transaction that it signed at 6"],
  ["6", "its addresses are those of the rails file"],
  ["7", "its addresses are those of the rails file"],
  ["8", "nonce 8 of eth-hot, and the next place is 8"],
])(
  "doctor says whether a log of the signer up to nonce %s is that of the database",
  async (nonce, words) => {
    highest = nonce;
    const { found, fix } = await examine(world.database);
    expect(found).toContain(words);
    expect(fix === undefined).toBe(words.startsWith("its"));
  },
);

test("doctor says nothing about a transaction that was signed after the signer answered", async () => {
  highest = "6";
  isAsked = false;
  const query: Database["query"] = async (statement, values) => {
    if (isAsked) await storeSigned(7);
    isAsked = false;
    return world.database.query(statement, values);
  };
  expect((await examine({ ...world.database, query })).fix).toBeUndefined();
});
