import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { pagesOf, useConsole } from "../../testing/console-world.ts";
import { makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);

const uuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
/** The moves of a minute begin at one moment. */
const MINUTES = [1, 1, 2, 3, 3, 3, 4];

test("a viewer reads every sweep and top-up once, the newest first, over pages", async () => {
  const viewer = await desk.person(["viewer"]);
  const listed = (query: Readonly<Record<string, string | number>>) =>
    viewer.call(CALLS.listTreasuryMoves, { query });
  expect((await listed({})).body).toMatchObject({ data: [], nextCursor: null });

  const asset = desk.deps.catalogue().currencyByCodeOrReference("btc")?.id;
  const rows = MINUTES.map((minute, at) => {
    const began = `'2026-01-01T00:00:00.123456Z'::timestamptz + interval '${minute} minutes'`;
    return `insert into chain_sends (id, wallet_id, purpose, place, created_at, updated_at)
        values ('${uuid(at)}', 'w', '${at % 2 === 0 ? "sweep" : "top_up"}', ${at}, ${began}, ${began});
      insert into chain_send_outputs (send_id, number, units, address, asset_id)
        values ('${uuid(at)}', 1, ${at + 1}000, 'to${at}', ${asset})`;
  });
  await desk.world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica;
      insert into chain_wallets (id, network_code, role, address) values ('w', 'bitcoin', 'deposits', 'from');
      drop index chain_sends_one_sweep;
      ${rows.join(";")};
      insert into chain_sends (id, wallet_id, purpose, place) values ('${uuid(90)}', 'w', 'cancel', 90);
      insert into chain_transactions (send_id, number, hash, bytes)
        values ('${uuid(6)}', 1, 'first', ''), ('${uuid(6)}', 2, 'second', '')`),
  );

  const pages = await pagesOf((page) => listed({ limit: 2, ...page }));
  expect(pages.map(({ length }) => length)).toEqual([4, 3]);
  const ids = pages.flat().map(({ moveId }) => moveId);
  expect(ids.toSorted()).toEqual(MINUTES.map((_minute, at) => uuid(at)));
  const [newest] = (await listed({})).body.data;
  expect(newest).toEqual({
    ...{ moveId: uuid(6), kind: "sweep", state: "bound", network: "bitcoin" },
    amount: { amount: "0.00007", currency: "btc" },
    ...{ from: "from", to: "to6", transactionHash: "second" },
    ...{ createdAt: 1_767_225_840, updatedAt: 1_767_225_840 },
  });
});

test("a viewer reads how much of an asset its issuer froze", async () => {
  const viewer = await desk.person(["viewer"]);
  const { id } = found(desk.deps.catalogue().currencyByCodeOrReference("usdc-solana"));
  await desk.world.database.transaction((tx) =>
    tx.runScript(`
      insert into live_networks (network_code) values ('solana') on conflict do nothing;
      insert into chain_wallets (id, network_code, kind, next_place, address)
        values ('hot', 'solana', 'expiring', null, 'Hot1');
      insert into wallet_balances (wallet_id, asset_id, units, height, used_places, is_frozen)
        values ('hot', ${id}, 7000000, 1, 0, true)`),
  );
  const { body } = await viewer.call(CALLS.readTreasury);
  const asset = found(body.data.assets.find(({ currency }) => currency === "usdc-solana"));
  expect(asset).toMatchObject({ hot: "0", frozen: "7", node: "7", advice: null });
  const others = body.data.assets.filter(({ currency }) => currency !== "usdc-solana");
  expect(others.filter(({ frozen }) => frozen !== null)).toEqual([]);
});
