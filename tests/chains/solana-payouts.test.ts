import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { USUAL_RENT } from "./world/solana-chain.ts";
import { LOST, type SolanaNode } from "./world/solana-node.ts";
import {
  makeSolanaPayingWorld,
  newSolanaAddress,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";

const SENDS = statement(
  "test_sends_of_order",
  `select send.state, send.dead_by, t.hash from payout_intents intent
     join chain_send_outputs o on o.intent_id = intent.id
     join chain_sends send on send.id = o.send_id
     left join chain_transactions t on t.send_id = send.id
   where intent.order_id = $1 order by send.created_at`,
);

/** The chain's own balances judge: a payout arrived once, or not at all. */
describe("payouts on Solana", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld();
    await world.start();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  const atEach = (changes: Partial<SolanaNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(() => {
    world.chain.setRent(USUAL_RENT);
    atEach({ takes: true, behind: 0, before: () => {}, rewrite: (_, answer) => answer });
  });

  const arrived = async (view: OrderView, to: string, before = 0n) => {
    await world.until(view, "completed");
    expect(world.chain.lamports(to) - before).toBe((await world.read(view)).payout?.units);
    expect(await world.stops()).toEqual([]);
  };
  const sendsOf = ({ order }: OrderView) =>
    world.world.database.query<{ state: string; dead_by: string | null; hash: string | null }>(
      SENDS,
      [order.id],
    );
  const growUntil = (wanted: () => Promise<boolean>) =>
    expect
      .poll(
        async () => {
          await world.grow();
          return wanted();
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);

  test("a payout of SOL arrives once, and the books equal the chain", async () => {
    const before = world.chain.lamports(SOLANA_HOT);
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await arrived(view, to);
    const [send, ...others] = await sendsOf(view);
    expect([send?.state, others]).toEqual(["final", []]);
    const { payout } = await world.read(view);
    expect(payout?.settledHash).toBe(send?.hash);
    const fee = before - world.chain.lamports(SOLANA_HOT) - (payout?.units ?? 0n);
    expect(fee).toBeGreaterThan(5_000n);
    await growUntil(async () =>
      /ok +wallets of solana: the books equal the chain at block \d+; .* sol\b/.test(
        (await world.line.run("doctor")).out,
      ),
    );
  });

  test("doctor, wallets and the drill know the network", async () => {
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(/ok +endpoints of solana: node-0 at block \d+/);
    expect(out).toMatch(/ok +signer: .* its addresses are those of the rails file/);
    const wallets = await world.line.run("wallets", "list");
    expect(wallets.out).toContain(SOLANA_HOT);
    // Nodes report balances of their final block only, which the scanner reads a moment later.
    await expect
      .poll(async () => (await world.line.run("drill", "first-payout", "--network", "solana")).out)
      .toMatch(/on the chain and in the books/);
  });

  test("two payments of one amount to one address are two transactions", async () => {
    const to = newSolanaAddress();
    const views = [await world.buy(to), await world.buy(to)];
    for (const view of views) await world.until(view, "completed");
    const units = await Promise.all(
      views.map(async (one) => (await world.read(one)).payout?.units),
    );
    expect(world.chain.lamports(to)).toBe(
      units.reduce((sum: bigint, one) => sum + (one ?? 0n), 0n),
    );
  });

  test("a payout whose broadcast has no answer arrives once", async () => {
    const before = world.made();
    let lost = 0;
    atEach({
      rewrite: ({ method }, answer) => {
        if (method !== "sendTransaction" || lost > 5) return answer;
        lost += 1;
        return LOST;
      },
    });
    const to = newSolanaAddress();
    await arrived(await world.buy(to), to);
    expect([lost > 2, world.made()]).toEqual([true, before + 1]);
  });

  test("a payout that the nodes drop is planned again after its last valid block, and arrives once", async () => {
    const before = [world.made(), world.signatures()] as const;
    atEach({ takes: false });
    // The endpoints report that the last valid block has passed, and the scanner has not read that far.
    atEach({
      rewrite: ({ method }, answer) => (method === "getBlockHeight" ? 10 ** 9 : answer),
    });
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await expect
      .poll(async () => (await sendsOf(view)).map(({ state }) => state))
      .toEqual(["sent"]);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect((await sendsOf(view)).map(({ state }) => state)).toEqual(["sent"]);
    atEach({ rewrite: (_, answer) => answer });
    await growUntil(async () => (await sendsOf(view)).some(({ state }) => state === "dead"));
    expect(world.chain.lamports(to)).toBe(0n);
    const named = world.chain.head().number;
    atEach({ takes: true });
    await arrived(view, to);
    const sends = await sendsOf(view);
    expect(sends.at(0)).toMatchObject({
      state: "dead",
      dead_by: expect.stringMatching(/^deadline:\d+$/),
    });
    expect(named).toBeGreaterThan(151n);
    expect(sends.at(-1)?.state).toBe("final");
    expect(new Set(sends.map(({ hash }) => hash)).size).toBe(sends.length);
    expect(world.made()).toBe(before[0] + 1);
    expect(world.signatures()).toBe(before[1] + sends.length);
  });

  test("a payout that the nodes hide is not paid again, although its last valid block has passed", async () => {
    const before = world.made();
    const signed = world.signatures();
    const hides = new Set(["getTransaction", "getSignatureStatuses"]);
    let isHidden = false;
    atEach({
      rewrite: ({ method }, answer) => {
        if (!isHidden || !hides.has(method)) return answer;
        return method === "getTransaction" ? null : { context: { slot: 1 }, value: [null] };
      },
    });
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await growUntil(async () => world.chain.lamports(to) > 0n);
    const { slot } = world.chain.head();
    // The scanner has read it and the worker has recorded the broadcast. The nodes lose it then.
    await expect
      .poll(async () => ((await findCursor(world.world.database, "solana"))?.height ?? 0n) >= slot)
      .toBe(true);
    await expect
      .poll(async () => (await sendsOf(view)).map(({ state }) => state))
      .toEqual(["sent"]);
    isHidden = true;
    world.chain.mine(200);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect([world.made(), world.signatures()]).toEqual([before + 1, signed + 1]);
    expect((await sendsOf(view)).map(({ state }) => state)).toEqual(["sent"]);
    isHidden = false;
    await arrived(view, to);
    expect(world.made()).toBe(before + 1);
  });

  test("endpoints that are behind delay a payout, and pay it once", async () => {
    const before = world.made();
    const to = newSolanaAddress();
    const view = await world.buy(to);
    const [first, second] = world.servers;
    await growUntil(async () => world.made() > before);
    for (const server of [first, second]) if (server) server.behind = 100;
    world.chain.mine(40);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await world.status(view)).toBe("sending");
    for (const server of [first, second]) if (server) server.behind = 0;
    await arrived(view, to);
    expect(world.made()).toBe(before + 1);
  });

  test("a payout below the rent of a new account is in review with the reason, and is refunded", async () => {
    const before = world.made();
    world.chain.setRent(10n ** 12n);
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual([
      "in_review",
      "delivery_rejected",
      "void",
      "rejected",
    ]);
    expect([world.made(), world.chain.lamports(to)]).toEqual([before, 0n]);
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
  });

  test("a payout that fails in its block moves nothing, costs its fee, and is refunded", async () => {
    // The nodes tell the usual rent, and the machine of the chain asks for more.
    world.chain.setRent(10n ** 12n);
    atEach({
      rewrite: ({ method }, answer) =>
        method === "getMinimumBalanceForRentExemption" ? USUAL_RENT : answer,
    });
    const balanceBefore = world.chain.lamports(SOLANA_HOT);
    const made = world.made();
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual(["in_review", "delivery_rejected", "void", "failed"]);
    expect([world.made(), world.chain.lamports(to)]).toEqual([made + 1, 0n]);
    expect(world.chain.lamports(SOLANA_HOT)).toBeLessThan(balanceBefore - 5_000n);
    expect(await world.stops()).toEqual([]);
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
  });

  test("a wallet that cannot pay waits, and the operator sees why", async () => {
    atEach({
      rewrite: ({ method, params }, answer) => {
        if (method !== "getAccountInfo" || params[0] !== SOLANA_HOT) return answer;
        const { value, ...rest } = answer as { value: object };
        return { ...rest, value: { ...value, lamports: 5 } };
      },
    });
    const to = newSolanaAddress();
    const view = await world.buy(to);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toContain(`the hot wallet ${SOLANA_HOT} has 5 lamports`);
    atEach({ rewrite: (_, answer) => answer });
    await arrived(view, to);
  });

  test("a payout waits for the coins that another one under way will take", async () => {
    const before = world.made();
    atEach({ takes: false });
    const first = await world.buy(newSolanaAddress());
    await expect
      .poll(async () => (await sendsOf(first)).map(({ state }) => state))
      .toEqual(["sent"]);
    const { units = 0n } = (await world.read(first)).payout ?? {};
    // They suffice for either payout, and not for both.
    const lamports = (units * 3n) / 2n;
    atEach({
      rewrite: ({ method, params }, answer) => {
        if (method !== "getAccountInfo" || params[0] !== SOLANA_HOT) return answer;
        const { value, ...rest } = answer as { value: object };
        return { ...rest, value: { ...value, lamports } };
      },
    });
    const to = newSolanaAddress();
    const second = await world.buy(to);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toContain(
        `1 transaction under way takes up to ${units + 100_000n} of the wallet's lamports`,
      );
    expect(await sendsOf(second)).toEqual([]);
    // A block has the first payout, and the balance is without its coins.
    atEach({ takes: true });
    await world.until(first, "completed");
    await arrived(second, to);
    expect(world.made()).toBe(before + 2);
  });

  test("an account of a program that the service does not know is not paid", async () => {
    const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
    const view = await world.buy(memoProgram);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual([
      "in_review",
      "delivery_rejected",
      "void",
      "rejected",
    ]);
  });
});
