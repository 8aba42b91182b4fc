import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import {
  makeSolanaPayingWorld,
  newSolanaAddress,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";

const STATES = statement(
  "test_send_states_of_order",
  `select send.state from payout_intents intent
     join chain_send_outputs o on o.intent_id = intent.id
     join chain_sends send on send.id = o.send_id
   where intent.order_id = $1 order by send.created_at`,
);

/** The network has one node, whose answers are correct and not complete. */
describe("payouts on Solana by a node that lacks something", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld();
    const [only] = world.servers;
    await world.start({ endpoints: [{ name: "only", url: only?.url }] });
  });
  afterAll(() => world?.close());
  afterEach(() => {
    const [only] = world.servers;
    if (only) Object.assign(only, { before: () => {}, rewrite: (_: unknown, one: unknown) => one });
  });

  const statesOf = async ({ order }: OrderView) =>
    (await world.world.database.query<{ state: string }>(STATES, [order.id])).map(
      ({ state }) => state,
    );

  test("a list that lacks the newest transaction until its block can be read stops nothing", async () => {
    const [only] = world.servers;
    // The index has the transactions up to here.
    let indexed = 0;
    let omitted = 0;
    if (only) {
      only.before = ({ method, params: [slot] }) => {
        if (method === "getBlock") indexed = Math.max(indexed, Number(slot));
      };
      only.rewrite = ({ method }, answer) => {
        if (method !== "getSignaturesForAddress") return answer;
        const list = answer as readonly { readonly slot: bigint }[];
        const complete = list.filter(({ slot }) => Number(slot) <= indexed);
        omitted += list.length - complete.length;
        return complete;
      };
    }
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await world.until(view, "completed");
    expect(world.chain.lamports(to)).toBe((await world.read(view)).payout?.units);
    expect(await statesOf(view)).toEqual(["final"]);
    expect([await world.stops(), omitted]).toEqual([[], 0]);
  });
});
