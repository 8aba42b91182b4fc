import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { type Gap, loseSlots } from "./world/solana-gap.ts";
import type { SolanaNode } from "./world/solana-node.ts";
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

const UNIT_PRICE_MIN = 30_000_000;

const repair = (node: SolanaNode): void => {
  Object.assign(node, { before: () => {}, rewrite: (_: unknown, answer: unknown) => answer });
};

/** The network has one node, whose answers are correct and not complete. */
describe("payouts on Solana by a node that lacks something", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld();
    const [only] = world.servers;
    await world.start({
      endpoints: [{ name: "only", url: only?.url }],
      payouts: { expirationSeconds: 3, graceBlocks: 4, unitPriceMin: UNIT_PRICE_MIN },
    });
  });
  afterAll(() => world?.close());
  afterEach(() => {
    const [only] = world.servers;
    if (only) repair(only);
  });

  const statesOf = async ({ order }: OrderView) =>
    (await world.world.database.query<{ state: string }>(STATES, [order.id])).map(
      ({ state }) => state,
    );

  test("a list that lacks the newest transaction until its block can be read stops nothing", async () => {
    const [only] = world.servers;
    // The index has the transactions up to here.
    let indexed = 0;
    if (only) {
      only.before = ({ method, params: [slot] }) => {
        if (method === "getBlock") indexed = Math.max(indexed, Number(slot));
      };
      only.rewrite = ({ method }, answer) => {
        if (method !== "getSignaturesForAddress") return answer;
        const list = answer as readonly { readonly slot: bigint }[];
        return list.filter(({ slot }) => Number(slot) <= indexed);
      };
    }
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await world.until(view, "completed");
    expect(world.chain.lamports(to)).toBe((await world.read(view)).payout?.units);
    expect(await statesOf(view)).toEqual(["final"]);
    expect(await world.stops()).toEqual([]);
  });

  test("a payout costs the operator's least price where the node tells of no price", async () => {
    const before = world.paidFees();
    const [only] = world.servers;
    if (only) {
      only.rewrite = ({ method }, answer) =>
        method === "getRecentPrioritizationFees"
          ? (answer as readonly object[]).map((one) => ({ ...one, prioritizationFee: 0 }))
          : answer;
    }
    await world.until(await world.buy(newSolanaAddress()), "completed");
    // 5,000 lamports of the signature, and 30 of each of 1,000 compute units.
    expect(world.paidFees() - before).toBeGreaterThanOrEqual(35_000n);
    expect(world.paidFees() - before).toBeLessThanOrEqual(35_001n);
  });

  test("a payout in a gap of the node's ledger is neither lost nor signed again, and arrives once", async () => {
    const [only] = world.servers;
    const { chain } = world;
    const [made, signed] = [world.made(), world.signatures()];
    let gap: Gap | undefined;
    if (only) {
      only.rewrite = ({ method }, answer) => {
        if (method !== "sendTransaction" || world.made() === made) return answer;
        const { slot } = chain.head();
        gap = { from: slot, to: slot + 20n };
        loseSlots(only, chain, gap);
        return answer;
      };
    }
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await expect
      .poll(async () => {
        if (!gap) await world.grow();
        return gap !== undefined;
      })
      .toBe(true);
    for (let turn = 0; turn < 25; turn += 1) {
      chain.mine(10);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const cursor = await findCursor(world.world.database, "solana");
    expect(cursor?.finalHeight).toBeLessThan(gap?.from ?? 0n);
    expect(await statesOf(view)).toEqual(["sent"]);
    expect([world.made(), world.signatures(), await world.stops()]).toEqual([
      made + 1,
      signed + 1,
      [],
    ]);
    if (only) repair(only);
    await world.until(view, "completed");
    expect(chain.lamports(to)).toBe((await world.read(view)).payout?.units);
    expect([world.made(), await world.stops()]).toEqual([made + 1, []]);
  });
});
