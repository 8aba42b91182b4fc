import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import type { StatementLine } from "../domain/ports/rail-statement.ts";
import type { Deps } from "../flows/deps.ts";
import { listBreaks } from "../storage/audit/breaks.ts";
import { listLateSends } from "../storage/chains/books.ts";
import { listStatedMovements } from "../storage/chains/statement.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { found } from "../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { auditOnce } from "./pass.ts";
import { newAuditor } from "./state.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
  await plant(`insert into chain_cursors (network_code, height, hash, final_height)
    values ('bitcoin', 100, 'x', 90)`);
});
afterAll(() => world.close());

/** Bypasses every trigger and foreign key. */
const plant = (script: string): Promise<void> =>
  world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica; ${script}`),
  );

async function complete(wanted: Parameters<OrderWorld["order"]>[0]): Promise<OrderView> {
  const placed = await world.order(wanted);
  await world.pay(placed);
  return world.untilStatus(placed, "completed");
}

type Statement = (since: Date) => Promise<readonly StatementLine[]>;

/** Compares with the rails, of which the chain has this statement. */
async function audit(stated: Statement): Promise<readonly string[]> {
  const chain = { ...found(world.deps.chain), statement: stated };
  const deps: Deps = { ...world.deps, chain };
  await plant("update audit_progress set lease_token = null");
  const state = { ...newAuditor(randomUUID()), ledgerCheckDueMs: Number.POSITIVE_INFINITY };
  expect(await auditOnce(deps, state)).toBe(true);
  const breaks = await listBreaks(world.database, "all");
  const stops = await listStops(world.database);
  return [...breaks.map(({ problem }) => problem), ...stops.map(({ subject }) => subject)];
}
const scanned: Statement = (since) => listStatedMovements(world.database, since);

/** A movement of the payout's transaction in the scanner's rows. */
const moved = (view: OrderView, { hash, state, ago }: Record<"hash" | "state" | "ago", string>) => {
  const { assetId, units } = found(view.payout);
  return `insert into chain_wallet_movements (network_code, id, address, asset_id, units, counterparty, height,
      block_hash, transaction_hash, source, state, recorded_at)
    values ('bitcoin', '${hash}:0', 'hot', ${assetId}, -${units}, 'customer', 60, 'b', '${hash}', 'value',
      '${state}', clock_timestamp() - interval '${ago}');`;
};

test("a payout that another version of its transaction made has no break, however long ago that was", async () => {
  const view = await complete(ORDERS.buyByBank);
  const { id, transactionHash: first } = found(view.payout);
  const dropped = moved(view, { hash: String(first), state: "orphaned", ago: "11 minutes" });
  await plant(`${dropped}
    update chain_wallets set address = 'hot' where network_code = 'bitcoin';
    update payout_intents set settled_hash = 'raised' where id = '${id}';
    update chain_sends set settled_hash = 'raised'
      where id = (select send_id from chain_send_outputs where intent_id = '${id}');
    update ledger_entries set key = 'fee:bitcoin:raised' where key = 'fee:bitcoin:${first}';
    insert into chain_transactions (send_id, number, hash, bytes)
      select send_id, 2, 'raised', '' from chain_send_outputs where intent_id = '${id}'`);
  // The nodes have the block that made the payout final. The scanner reads it a moment later.
  expect(await audit(scanned)).toEqual([]);
  const lateSends = () =>
    world.database.transaction((tx) =>
      listLateSends(tx, "bitcoin", { bookedSeconds: 600, minedAgainSeconds: 600 }),
    );
  expect(await lateSends()).toEqual([]);
  await plant(
    `update chain_sends set updated_at = updated_at - interval '11 minutes' where settled_hash = 'raised'`,
  );
  // No block has it even now, which the comparison of the wallets finds.
  expect(await lateSends()).toEqual([{ id, hash: "raised" }]);
  await plant(moved(view, { hash: "raised", state: "final", ago: "11 minutes" }));
  expect(await audit(scanned)).toEqual([]);
  expect(await lateSends()).toEqual([]);
});

/** The statement of the sandbox's chains, whose first answers call every deposit rejected. */
const rejecting = (answers: number): Statement => {
  const { statement: stated } = found(world.deps.chain);
  let left = answers;
  return async (since) => {
    left -= 1;
    const lines = await found(stated)(since);
    return lines.map((line) =>
      line.kind === "deposit" && left >= 0 ? { ...line, state: "rejected" } : line,
    );
  };
};

test("a deposit that its rail dropped and took again during the comparison has no break", async () => {
  await complete(ORDERS.sell);
  const before = await audit(rejecting(0));
  expect(await audit(rejecting(1))).toEqual(before);
  const [problem = "", ...others] = await audit(rejecting(2));
  expect(problem).toMatch(/^deposit ethereum .* is settled in our books and rejected at the rail$/);
  expect(others).toEqual(["chain:ethereum"]);
});
