import { afterEach, beforeEach, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import { statement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";

const ERRORS = statement(
  "test_errors_of_jobs",
  `select last_error as error from jobs where order_id = $1 and last_error is not null`,
);
const LOSE_BYTES = `
  alter table chain_transactions disable trigger user;
  delete from chain_transactions;
  alter table chain_transactions enable trigger user`;
const STUCK = { state: "waiting", isStuck: true, askAgainMs: 600_000 } as const;

let world: OrderWorld;
let chain: { -readonly [Name in keyof ChainGateway]: ChainGateway[Name] };
/** The hashes of the transactions that were broadcast. */
let sent: string[];

beforeEach(async () => {
  world = await makeOrderWorld();
  chain = found(world.deps.chain);
  sent = [];
  chain.broadcast = async ({ transactionHash }) => {
    sent.push(transactionHash);
  };
});
afterEach(() => world.close());

/** Waits until the job of a payout has run once, or failed. */
async function tryPayout(): Promise<OrderView> {
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed);
  await world.until(placed, ({ payout }) => typeof payout?.transactionHash === "string");
  await world.untilTried(placed);
  return world.read(placed);
}

const errorsOf = async ({ order }: OrderView): Promise<string> =>
  (await world.database.query<{ error: string }>(ERRORS, [order.id]))
    .map(({ error }) => error)
    .join("\n");

test("a dropped payout whose fee another transaction raises is sent again in the same look", async () => {
  chain.follow = async () => ({ ...STUCK, isKnown: false });
  chain.replace = async () => undefined;
  const { payout } = await tryPayout();
  expect(sent).toEqual([payout?.transactionHash, payout?.transactionHash]);
});

test("the error of a payout's job names the signer's refusal and that of the nodes", async () => {
  chain.follow = async () => {
    chain.broadcast = async () => {
      throw new Error("the nodes refuse the transaction");
    };
    return { ...STUCK, isKnown: false };
  };
  chain.replace = async () => {
    throw new Error("the signer does not answer");
  };
  const errors = await errorsOf(await tryPayout());
  expect(errors).toContain("the signer does not answer");
  expect(errors).toContain("the nodes refuse the transaction");
});

test("a payout that the nodes have is recorded as sent, although its fee cannot be raised", async () => {
  chain.follow = async () => ({ ...STUCK, isKnown: true });
  chain.replace = async () => {
    throw new Error("the signer does not answer");
  };
  const view = await tryPayout();
  expect(view.payout).toMatchObject({ state: "broadcast" });
  expect(await errorsOf(view)).toContain("the signer does not answer");
});

test("a signed payout whose bytes are lost is an error of its job", async () => {
  chain.broadcast = async () => {
    throw new Error("the nodes refuse the transaction");
  };
  const view = await tryPayout();
  expect(view.payout).toMatchObject({ state: "signed" });
  await world.database.transaction((tx) => tx.runScript(LOSE_BYTES));
  await world.hurry(view);
  await expect.poll(() => errorsOf(view)).toContain("is signed without signed bytes");
});
