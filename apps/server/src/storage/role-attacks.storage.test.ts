import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../testing/catalogue.ts";
import { untilTried } from "../testing/orders.ts";
import type { PlayedOrder } from "../testing/sandbox-play.ts";
import { makeRoleWorld, type RoleWorld } from "../testing/service-roles.ts";
import { checkLedger } from "./ledger/checks.ts";
import { type Database, statement } from "./postgres/database.ts";

const run = <Row>(database: Database, text: string) => database.query<Row>(statement("", text));

let roles: RoleWorld;
beforeAll(async () => {
  roles = await makeRoleWorld();
});
afterAll(() => roles.close());

/** Runs SQL as somebody who has the API's password, and returns the error's text. */
const attack = (text: string): Promise<string> =>
  run(roles.api.database, text).then(
    () => "done",
    (error: Error) => error.message,
  );

describe("somebody with the connection of the API", () => {
  let paid: number;
  let held: number;
  let screened: number;
  /** Its payout is stopped. */
  let sending: number;
  let unpaid: number;
  let swapped: number;

  const advance = async (played: PlayedOrder, status: string, reason?: string): Promise<void> => {
    const reply = await played.advance(status, reason);
    expect(reply.status, reply.text).toBe(200);
  };
  const stop = (kind: string, subject: string) =>
    run(
      roles.owner,
      `insert into stops (kind, subject, reason, set_by) values ('${kind}', '${subject}', 'a test', 'anna')`,
    );

  beforeAll(async () => {
    const completed = await roles.play("transfer");
    for (const status of ["processing", "completed"]) await completed.advance(status);
    await completed.until(({ status }) => status === "completed");
    const inReview = await roles.play("sell");
    await advance(inReview, "in_review", "underpaid");
    const isHit = await roles.play("sell");
    await advance(isHit, "in_review", "compliance");
    screened = isHit.id;
    await stop("rail", "chain");
    const isStopped = await roles.play("buy by card");
    await advance(isStopped, "processing");
    await isStopped.until(({ status }) => status === "sending");
    [paid, held, sending] = [completed.id, inReview.id, isStopped.id];
    [unpaid, swapped] = [(await roles.play("buy by card")).id, (await roles.play("sell")).id];
    // The sandbox may act for operators everywhere but in prod.
    await run(roles.owner, "update installation set environment = 'prod'");
  });

  test.each([
    ["inserts a payout", "insert into payout_intents (id) values (gen_random_uuid())"],
    ["changes where a payout goes", "update payout_intents set address = 'mine'"],
    ["raises a payout", "update payout_intents set units = units * 2"],
    ["releases a payout", "update payout_intents set released_at = now()"],
    ["reads signed bytes", "select signed_bytes from payout_intents"],
    ["reads signed transactions", "select bytes from chain_transactions"],
    ["stores a signed transaction", "insert into chain_transactions (send_id) values (null)"],
    ["reads a release", "select text, signature from payout_releases"],
    ["releases in the worker's name", "insert into payout_releases (send_id) values (null)"],
    ["reads the terms of a transaction", "select terms from chain_fee_terms"],
    ["changes the terms of a transaction", "update chain_fee_terms set terms = '{}'"],
    ["reads a send", "select place from chain_sends"],
    ["says that the signer refused", "update chain_sends set asked_as = null, asked_by = null"],
    ["plans a send", "insert into chain_sends (id) values (gen_random_uuid())"],
    ["moves an output", "update chain_send_outputs set address = 'mine'"],
    ["adds a wallet", "insert into chain_wallets (id, network_code) values ('mine', 'bitcoin')"],
    [
      "approves a payout",
      "insert into payout_approvals (intent_id, person) select id, 'anna' from payout_intents",
    ],
    ["lifts a stop", "delete from stops"],
    [
      "agrees to lift a stop",
      "insert into stop_resumes (kind, subject, person) values ('rail', 'chain', 'me')",
    ],
    ["sets a limit", "insert into payout_limits (kind, subject) values ('total', '')"],
    ["raises the liquidity", "update liquidity_limits set debt_units = debt_units * 2"],
    [
      "books an entry",
      "insert into ledger_entries (merchant_id, key, kind) values ('a', 'b', 'capture')",
    ],
    ["books a posting", "insert into ledger_postings (entry_id, line) values (1, 1)"],
    ["changes a posting", "update ledger_postings set units = units * 2"],
    ["makes a deposit", "insert into deposits (id) values (gen_random_uuid())"],
    ["makes a deposit final", "update deposits set state = 'final'"],
    [
      "adds coins that reached us",
      "insert into chain_movements (network_code, id) values ('bitcoin', 'mine')",
    ],
    ["moves the scanner", "update chain_cursors set final_height = 0"],
    ["captures a payment", "update payment_attempts set status = 'captured'"],
    [
      "starts a payment as captured",
      "insert into payment_attempts (id, status) values (gen_random_uuid(), 'captured')",
    ],
    ["changes a payout address of an order", "update orders set wallet_address = 'mine'"],
    ["changes the account of an order", "update orders set personal = null"],
    ["says that money arrived", "update orders set received_units = spend_units"],
    ["deletes an order", "delete from orders"],
    ["deletes a timeline", "delete from order_events"],
    ["ends a job", "delete from jobs"],
    ["leases a job", "update jobs set lease_token = gen_random_uuid()"],
    ["makes a key", "insert into api_keys (id) values ('mine')"],
    ["changes a merchant", "update merchants set disabled_at = null"],
    ["changes prices", "update pricing_rules set spread_basis_points = 0"],
    ["changes a coin's value", "update currencies set per_euro = per_euro * 100"],
    ["moves the clock", "update installation set clock_offset = interval '2 hours'"],
    ["sets the clock's sequence", "select setval('business_clock_offset', 1)"],
    ["sets order numbers back", "select setval('order_numbers', 1)"],
    ["ends a restore", "update history set restored_at = null"],
    ["allows itself moves", "update order_moves set by_request = true"],
    [
      "writes the operators' log",
      "insert into control_log (person, action) values ('anna', 'resume')",
    ],
    ["disables a trigger", "alter table orders disable trigger all"],
    ["leaves triggers out", "set session_replication_role = replica"],
    ["creates a function", "create function mine() returns int language sql as 'select 1'"],
    [
      "replaces a guard",
      "create or replace function guard_order() returns trigger language plpgsql as 'begin return new; end'",
    ],
    ["creates a schema", "create schema mine"],
    ["creates a table to shadow another", "create temporary table orders (id bigint)"],
    [
      "creates a function of its session",
      "create function pg_temp.refuse_write(text) returns bigint language sql as 'select 1'",
    ],
    ["changes a function's path", "alter function owe_refunds(jsonb) reset search_path"],
    ["grants itself rights", "grant insert on payout_intents to current_user"],
  ])("is refused when it %s", async (_what, text) => {
    expect(await attack(text)).toMatch(/permission denied|must be owner/);
  });

  test("is refused when it becomes the worker or the owner", async () => {
    for (const role of [roles.worker.name, "postgres"]) {
      expect(await attack(`set role ${role}`)).toMatch("permission denied");
      expect(await attack(`set session authorization ${role}`)).toMatch("permission denied");
    }
  });

  const move = (id: number, changes: string): Promise<string> =>
    attack(`update orders set ${changes}, version = version + 1 where id = ${id}`);

  test("moves an order only as a request may", async () => {
    expect(await move(unpaid, "status = 'processing'")).toMatch("cannot go from");
    expect(await move(held, "status = 'sending'")).toMatch("cannot go from");
    expect(await move(held, "status = 'processing'")).toMatch("cannot go from");
    expect(await move(held, "status = 'cancelled'")).toMatch("cannot go from");
    expect(await move(paid, "status = 'in_review'")).toMatch("cannot go from");
    expect(await move(held, "status_reason = 'rate_moved'")).toMatch("changes with it");
    expect(await move(screened, "status = 'refund_pending', held_from = null")).toMatch(
      "cannot go",
    );
  });

  test("cannot change the price or the refund address of an order", async () => {
    expect(await move(unpaid, "receive_units = receive_units * 2")).toMatch("cannot be changed");
    expect(await attack("update quotes set receive_units = receive_units * 2")).toMatch("quote");
    expect(await move(swapped, "requested_refund_address = 'mine'")).toBe("done");
    expect(await move(swapped, "refund_address = 'mine'")).toMatch("the operator approved");
  });

  test("cannot write that an operator decided", async () => {
    const event = `insert into order_events (order_id, sequence, merchant_id, status, actor, note)
      select id, 99, merchant_id, 'processing', 'operator', 'released' from orders where id = ${held}`;
    expect(await attack(event)).toMatch("no line of an operator");
  });

  const HACKED = "0x000000000000000000000000000000000000dEaD";
  const refund = (id: number, intent: object, head: object = {}): Promise<string> =>
    run<{ version: number; merchant_id: string }>(
      roles.owner,
      `select version, merchant_id from orders where id = ${id}`,
    ).then(([order]) => {
      const { version, merchant_id } = found(order);
      const step = {
        order_id: String(id),
        merchant_id,
        version,
        status: "refund_pending",
        ...head,
      };
      const money = {
        id: randomUUID(),
        order_id: String(id),
        merchant_id,
        purpose: "refund",
        ...intent,
      };
      const text = JSON.stringify({ steps: [step], intents: [money], reversals: [], entries: [] });
      return attack(`select owe_refunds('${text}')`);
    });

  test("owes no refund but what an order received, to its payer", async () => {
    const [deposit] = await run<{
      id: string;
      asset_id: number;
      units: string;
      network_code: string;
      address: string;
      memo: string | null;
    }>(
      roles.owner,
      `select d.id, d.asset_id, d.units::text, c.network_code, o.refund_address as address,
         o.refund_memo as memo
       from deposits d join orders o on o.id = d.order_id join currencies c on c.id = d.asset_id
       where d.order_id = ${held} and d.state = 'final'`,
    );
    const { id: deposit_id, ...rest } = found(deposit);
    const sound = { rail: "chain", deposit_id, ...rest };
    const refused = /returns what order|takes no refund|takes more from/;
    expect(await refund(held, { ...sound, address: HACKED })).toMatch(refused);
    expect(await refund(held, { ...sound, address: HACKED }, { refund_address: HACKED })).toMatch(
      refused,
    );
    expect(await refund(held, { ...sound, units: `${sound.units}0` })).toMatch(refused);
    expect(await refund(held, { ...sound, purpose: "payout" })).toMatch(refused);
    expect(await refund(held, { ...sound, rail: "bank" })).toMatch(refused);
    expect(await refund(paid, sound)).toMatch(refused);
    expect(await refund(unpaid, sound)).toMatch(refused);
    expect(await refund(screened, sound)).toMatch(refused);
    // The address that was asked for is not approved by the one who asked.
    expect(await move(held, `requested_refund_address = '${HACKED}'`)).toBe("done");
    expect(await refund(held, { ...sound, address: HACKED }, { refund_address: HACKED })).toMatch(
      refused,
    );
    // The refund itself is one that any merchant may ask for, once.
    expect(await refund(held, sound)).toBe("done");
    expect(await refund(held, sound)).toMatch(refused);
  });

  test("has no payout made by a job: the worker looks the money up in the books", async () => {
    const order = `select id from orders where id = ${unpaid}`;
    const job = (kind: string) =>
      attack(`insert into jobs (kind, key, order_id, merchant_id)
        select '${kind}', '${kind}:' || id, id, merchant_id from orders where id = ${unpaid}`);
    expect(
      await move(
        unpaid,
        "status = 'in_review', status_reason = 'rate_moved', held_from = 'processing'",
      ),
    ).toBe("done");
    expect(await move(unpaid, "status = 'processing', held_from = null")).toBe("done");
    expect(await job("exchange_order")).toBe("done");
    const lastError = async () =>
      (
        await run<{ error: string | null }>(
          roles.owner,
          `select last_error as error from jobs where kind = 'exchange_order' and order_id = ${unpaid}`,
        )
      )[0]?.error;
    await expect.poll(lastError).toMatch("than order");
    expect(
      await run(roles.owner, `select from payout_intents where order_id in (${order})`),
    ).toEqual([]);
    // The check of the books names the order.
    const { problems } = await checkLedger(roles.owner);
    expect(problems.map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining(`${unpaid} is processing with 0 received`),
    );
  });

  test("has no stopped payout sent by a job: the controls decide again", async () => {
    const released = () =>
      run(roles.owner, `select state, released_at from payout_intents where order_id = ${sending}`);
    expect(await released()).toEqual([{ state: "created", released_at: null }]);
    const insert = `insert into jobs (kind, key, order_id, merchant_id)
      select kind, key || '#', order_id, merchant_id from jobs where order_id = ${sending}`;
    expect(await attack(insert)).toBe("done");
    expect(await attack(`update jobs set run_at = now() where order_id = ${sending}`)).toBe("done");
    await untilTried(roles.owner, sending);
    expect(await released()).toEqual([{ state: "created", released_at: null }]);
    expect(await refund(sending, {}, { intent_id: randomUUID() })).toMatch("takes no refund");
  });
});
