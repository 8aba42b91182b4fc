import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toEvmForm, toNodeForm } from "../../apps/server/src/adapters/chains/tron/addresses.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";
import { LOST, type TronNode } from "./world/tron-node.ts";
import {
  makeTronPayingWorld,
  newTronAddress,
  TRON_HOT,
  type TronPayingWorld,
} from "./world/tron-paying.ts";
import type { TronQuestion } from "./world/tron-transactions.ts";

const BROADCAST = "/wallet/broadcasthex";
/** A busy machine needs a long time for a signature, and a payout whose deadline passed has another send. */
const PATIENT = { payouts: { expirationSeconds: 300, graceSeconds: 1 } };
const SENDS = statement(
  "test_sends_of_order",
  `select send.state, send.dead_by, t.hash from payout_intents intent
     join chain_send_outputs o on o.intent_id = intent.id
     join chain_sends send on send.id = o.send_id
     left join chain_transactions t on t.send_id = send.id
   where intent.order_id = $1 order by send.created_at`,
);

/** The chain's own balances judge: a payout arrived once, or not at all. */
describe.skipIf(ANVIL_PATH === "")("payouts on Tron", () => {
  let world: TronPayingWorld;

  beforeAll(async () => {
    world = await makeTronPayingWorld();
    await world.start(PATIENT);
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  const atEach = (changes: Partial<TronNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(async () => {
    atEach({ takes: true, stakes: false, before: () => {}, rewrite: (_, answer) => answer });
    await world.setToken();
  });

  const arrived = async (view: OrderView, to: string, asset: "trx" | "usdt-tron") => {
    await world.until(view, "completed");
    expect(await world.holds(to, asset)).toBe((await world.read(view)).payout?.units);
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

  test.each(["trx", "usdt-tron"] as const)("a payout of %s arrives once", async (asset) => {
    const to = newTronAddress();
    const view = await world.buy(asset, to);
    await arrived(view, to, asset);
    const [send, ...others] = await sendsOf(view);
    expect([send?.state, others]).toEqual(["final", []]);
    expect((await world.read(view)).payout?.settledHash).toBe(send?.hash);
  });

  test("a payout that staked energy pays for costs nothing, and the books have no fee of it", async () => {
    atEach({ stakes: true });
    const coins = await world.holds(TRON_HOT, "trx");
    const to = newTronAddress();
    await arrived(await world.buy("usdt-tron", to), to, "usdt-tron");
    expect(await world.holds(TRON_HOT, "trx")).toBe(coins);
  });

  test("doctor, wallets and the drill know the network", async () => {
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(/ok +signer: .* its addresses are those of the rails file/);
    expect(out).toMatch(
      /ok +wallets of tron: the books equal the chain at block \d+; .* usdt-tron\b/,
    );
    const wallets = await world.line.run("wallets", "list");
    expect(wallets.out).toContain(TRON_HOT);
    // Nodes report balances of their final block only, which the scanner reads a moment later.
    await expect
      .poll(async () => (await world.line.run("drill", "first-payout", "--network", "tron")).out)
      .toMatch(/on the chain and in the books/);
  });

  test("a payout whose broadcast has no answer arrives once", async () => {
    const before = await world.made();
    let lost = 0;
    atEach({
      rewrite: ({ method }, answer) => {
        if (method !== BROADCAST || lost > 5) return answer;
        lost += 1;
        return LOST;
      },
    });
    const to = newTronAddress();
    await arrived(await world.buy("usdt-tron", to), to, "usdt-tron");
    expect([lost > 2, await world.made()]).toEqual([true, before + 1]);
  });

  test("a payout that the nodes drop is planned again after its deadline, and arrives once", async () => {
    await world.stop();
    await world.start();
    const before = [await world.made(), world.signatures()] as const;
    atEach({ takes: false });
    // One endpoint alone reports that the deadline has passed.
    const [, , liar] = world.servers;
    if (liar) {
      liar.rewrite = (_, answer) => {
        const { timestamp } = (answer ?? {}) as { timestamp?: string };
        return timestamp ? { ...(answer as object), timestamp: "0xffffffff" } : answer;
      };
    }
    const to = newTronAddress();
    const view = await world.buy("usdt-tron", to);
    await growUntil(async () => (await sendsOf(view)).some(({ state }) => state === "dead"));
    expect(await world.holds(to, "usdt-tron")).toBe(0n);
    atEach({ takes: true });
    await arrived(view, to, "usdt-tron");
    const sends = await sendsOf(view);
    expect(sends.at(0)).toMatchObject({
      state: "dead",
      dead_by: expect.stringMatching(/^deadline:\d+$/),
    });
    expect(sends.at(-1)?.state).toBe("final");
    expect(new Set(sends.map(({ hash }) => hash)).size).toBe(sends.length);
    expect(await world.made()).toBe(before[0] + 1);
    expect(world.signatures()).toBe(before[1] + sends.length);
    await world.stop();
    await world.start(PATIENT);
  });

  test("a payout that runs out of energy moves nothing, costs its limit, and is refunded", async () => {
    atEach({
      before: async ({ method }) => {
        if (method === BROADCAST) await world.setToken(TOKEN_CODES.endless);
      },
    });
    const coins = await world.holds(TRON_HOT, "trx");
    const to = newTronAddress();
    const view = await world.buy("usdt-tron", to);
    await world.until(view, "in_review");
    const failed = ["in_review", "delivery_rejected", "void", "failed"];
    expect(await world.outcome(view)).toEqual(failed);
    await world.setToken();
    expect(await world.holds(to, "usdt-tron")).toBe(0n);
    expect(await world.holds(TRON_HOT, "trx")).toBeLessThan(coins);
    expect(await world.stops()).toEqual([]);
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
  });

  test("a wallet that cannot pay the fee waits, and the operator sees why", async () => {
    atEach({
      rewrite: ({ method }, answer) =>
        method === "/wallet/getaccount" ? { ...(answer as object), balance: 5 } : answer,
    });
    const to = newTronAddress();
    const view = await world.buy("usdt-tron", to);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toContain(`the hot wallet ${TRON_HOT} has 5 sun and 0 energy, and a fee of up to`);
    atEach({ rewrite: (_, answer) => answer });
    await arrived(view, to, "usdt-tron");
  });

  test("of two payouts that are checked at the same moment, the one that was bound later waits for TRX", async () => {
    const { servers } = world;
    const made = await world.made();
    const hot = toNodeForm(toEvmForm(TRON_HOT));
    const isAboutHot = ({ method, params: [body] }: TronQuestion): boolean =>
      method === "/wallet/getaccount" && (body as { address?: string }).address === hot;
    let left = 2 * servers.length;
    let meet = (): void => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    atEach({
      takes: false,
      before: async (question) => {
        if (!isAboutHot(question)) return;
        left -= 1;
        if (left === 0) meet();
        await met;
      },
      // It suffices for either payout, and not for the most that both may burn.
      rewrite: (question, answer) =>
        isAboutHot(question) ? { ...(answer as object), balance: 20_000_000 } : answer,
    });
    const payouts = [newTronAddress(), newTronAddress()];
    const views = await Promise.all(payouts.map((to) => world.buy("usdt-tron", to)));
    const states = async () =>
      (await Promise.all(views.map((view) => world.read(view)))).map(({ payout }) => payout?.state);
    await expect.poll(states, { timeout: 60_000 }).toContain("broadcast");
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out, {
        timeout: 60_000,
      })
      .toMatch(/sun is needed\. 1 transaction under way takes up to \d+ sun/);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await states()).toEqual(expect.arrayContaining(["broadcast", "created"]));
    // It gave up its place, so no later payout waits for what it needs.
    const sends = (await Promise.all(views.map(sendsOf))).flat();
    expect(sends.map(({ state }) => state)).toEqual(expect.arrayContaining(["sent", "vacated"]));
    expect(sends).toHaveLength(2);
    atEach({ takes: true, rewrite: (_, answer) => answer });
    for (const view of views) await world.until(view, "completed");
    expect(await world.made()).toBe(made + 2);
    expect(await world.stops()).toEqual([]);
  });

  test("a token that reports success and no transfer is not settled, and stops the network", async () => {
    atEach({
      before: async ({ method }) => {
        if (method === BROADCAST) await world.setToken(TOKEN_CODES.false);
      },
    });
    const view = await world.buy("usdt-tron", newTronAddress());
    await growUntil(async () => (await world.stops()).length > 0);
    expect(await world.stops()).toEqual(["rail chain:tron"]);
    expect(await world.status(view)).toBe("sending");
    const id = (await world.read(view)).payout?.id ?? "";
    const words = ["--payout", id, "--outcome", "unpaid", "--left", "0", "--as", "anna"];
    expect((await world.line.run("payouts", "resolve", ...words)).status).toBe(0);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual(["in_review", "delivery_rejected", "void", "failed"]);
  });
});
