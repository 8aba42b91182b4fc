import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { readUnderWay } from "./under-way.ts";

const NETWORK = "solana";
const HOT = "Hot1";
let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

/** The payments are added up by asset. */
const read = async (beforeSendId?: string) => {
  const question = { networkCode: NETWORK, address: HOT, beforeSendId };
  const found = await readUnderWay(world.database, question);
  if (!found) return undefined;
  const { payments, ...rest } = found;
  const units: Record<string, bigint> = {};
  for (const one of payments) {
    units[one.assetReference] = (units[one.assetReference] ?? 0n) + one.units;
  }
  return { ...rest, units };
};

/** The ids of the catalogue. */
const ASSETS = { sol: 1040, usdc: 1031, usdt: 1022 } as const;

/** A sweep or a payment from a wallet. A block that the scanner has read may have its transaction. */
const send = (
  walletId: string,
  units: number,
  state: string,
  {
    moved,
    asset = "sol",
  }: { readonly moved?: "seen" | "orphaned"; readonly asset?: keyof typeof ASSETS } = {},
) => {
  const [id, hash] = [randomUUID(), randomUUID()];
  const end = `update chain_sends set state = 'final', settled_hash = '${hash}' where id = '${id}';`;
  const movement = `insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
    values ('${NETWORK}', '${id}', '${HOT}', 1040, -5000, 99, 'b', '${hash}', 'fee', '${moved}');`;
  return run(`
    insert into chain_sends (id, wallet_id, purpose, state)
      values ('${id}', '${walletId}', '${walletId === "hot" ? "payout" : "sweep"}', '${state === "final" ? "sent" : state}');
    insert into chain_send_outputs (send_id, number, units, address, asset_id)
      values ('${id}', 1, ${units}, 'to', ${ASSETS[asset]});
    insert into chain_transactions (send_id, number, hash, bytes) values ('${id}', 1, '${hash}', '');
    ${moved ? movement : ""} ${state === "final" ? end : ""}`);
};

/** A payout of an order. Its intent names the asset, and the output does not. */
const payout = async (units: number, asset: keyof typeof ASSETS): Promise<string> => {
  const [id, intent] = [randomUUID(), randomUUID()];
  // The order is of no concern here, so nothing is checked.
  await run(`
    set local session_replication_role = replica;
    insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address, rail, released_at)
      values ('${intent}', ${units}, 'm', ${ASSETS[asset]}, ${units}, '${NETWORK}', 'to', 'chain', business_now());
    insert into chain_sends (id, wallet_id, purpose, state) values ('${id}', 'hot', 'payout', 'bound');
    insert into chain_send_outputs (send_id, number, units, address, intent_id)
      values ('${id}', 1, ${units}, 'to', '${intent}')`);
  return id;
};

test("sends that no read block has are under way, and each may cost a fee", async () => {
  expect(await read()).toBeUndefined();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, kind, next_place, address) values
      ('hot', '${NETWORK}', 'expiring', null, '${HOT}');
    insert into chain_wallets (id, network_code, kind, next_place, address, role) values
      ('deposit', '${NETWORK}', 'expiring', null, 'D', 'deposits')`);
  expect(await read()).toEqual({ readTo: 100n, units: {}, sends: 0 });
  await send("hot", 7, "bound");
  await send("hot", 11, "sent");
  expect(await read()).toEqual({ readTo: 100n, units: { sol: 18n }, sends: 2 });
  // A sweep brings its coins to the hot wallet, which pays its fee.
  await send("deposit", 1_000, "signed");
  expect(await read()).toEqual({ readTo: 100n, units: { sol: 18n }, sends: 3 });
  await send("hot", 100, "sent", { moved: "seen" });
  await send("hot", 100, "final");
  expect(await read()).toEqual({ readTo: 100n, units: { sol: 18n }, sends: 3 });
  // Its block was dropped.
  await send("hot", 100, "sent", { moved: "orphaned" });
  expect(await read()).toEqual({ readTo: 100n, units: { sol: 118n }, sends: 4 });
});

test("a cancel pays nobody and costs a fee", async () => {
  const before = await read();
  const id = randomUUID();
  await run(
    `insert into chain_sends (id, wallet_id, purpose, state) values ('${id}', 'hot', 'cancel', 'bound')`,
  );
  expect(await read()).toEqual({ ...before, sends: Number(before?.sends) + 1 });
  await run(`update chain_sends set state = 'signed' where id = '${id}'`);
  await run(`update chain_sends set state = 'final', settled_hash = 'x' where id = '${id}'`);
  expect(await read()).toEqual(before);
});

test("payments of tokens are under way by their own asset, as the output or the payout names it", async () => {
  const before = await read();
  await send("hot", 50, "signed", { asset: "usdc" });
  await send("hot", 60, "sent", { asset: "usdc", moved: "seen" });
  await payout(70, "usdc");
  await payout(80, "usdt");
  await payout(90, "sol");
  expect(await read()).toEqual({
    readTo: 100n,
    units: { sol: 208n, "usdc-solana": 120n, "usdt-solana": 80n },
    sends: Number(before?.sends) + 4,
  });
});

test("a payout is asked about beside those that were bound before it, and not beside later ones", async () => {
  const before = await read();
  const first = await payout(5, "usdt");
  const second = await payout(6, "usdt");
  const { units, sends = 0 } = before ?? {};
  const usdt = Number(units?.["usdt-solana"] ?? 0n);
  expect(await read(first)).toEqual(before);
  expect(await read(second)).toMatchObject({
    ...{ units: { "usdt-solana": BigInt(usdt + 5) }, sends: sends + 1 },
  });
  expect(await read()).toMatchObject({
    ...{ units: { "usdt-solana": BigInt(usdt + 11) }, sends: sends + 2 },
  });
});

test("of payouts that were bound together the one with the lower number is earlier, whatever their ids", async () => {
  const [low, high] = ["0", "f"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
  const bind = (id = "", place = 0) => `
    insert into chain_sends (id, wallet_id, purpose, place, created_at)
      values ('${id}', 'xrp', 'payout', ${place}, '2026-11-01');
    insert into chain_send_outputs (send_id, number, units, address, asset_id)
      values ('${id}', 1, ${place}, 'to', 1041);`;
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('xrpl', 100, 'x', 90);
    insert into chain_wallets (id, network_code, next_place, address) values ('xrp', 'xrpl', 9, 'rHot');
    ${bind(high, 7)} ${bind(low, 8)}`);
  const before = async (beforeSendId: string | undefined) => {
    const question = { networkCode: "xrpl", address: "rHot", beforeSendId };
    return (await readUnderWay(world.database, question))?.payments.map(({ units }) => units);
  };
  expect(await before(high)).toEqual([]);
  expect(await before(low)).toEqual([7n]);
});
