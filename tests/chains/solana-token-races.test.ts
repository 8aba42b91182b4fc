import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { tokenAccountOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { closeTokens, giveTokens, openTokens } from "./world/solana-instructions.ts";
import {
  expectExactBooks,
  fillTokens,
  makeSolanaPayingWorld,
  newSolanaWallet,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";
import { USDC } from "./world/solana-tokens.ts";

const RENT = 2_039_280n;
const LIST_WAITS = statement("test_list_waits", "select intent_id from payout_waits");
const usdcOf = (wallet: string): string => tokenAccountOf(wallet, USDC);

/** The recipient's token account is open when the service looks at it, and changes before a block has the payout. */
describe("races of payouts of USDC on Solana", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld({ tokens: ["usdc-solana"] });
    await world.start();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  afterEach(() => {
    for (const server of world.servers) server.before = () => {};
  });

  /** Changes the chain once, when the first node gets the transaction of the payout. */
  const beforeLanding = (change: () => Promise<unknown>): (() => boolean) => {
    let changing: Promise<unknown> | undefined;
    for (const server of world.servers) {
      server.before = async ({ method }) => {
        if (method !== "sendTransaction") return;
        changing ??= change();
        await changing;
      };
    }
    return () => changing !== undefined;
  };

  test("of two payouts that are asked about at the same moment, the one that was bound later waits for the coins", async () => {
    const { servers } = world;
    const made = world.made();
    // They suffice for either payout, and not for both.
    const lamports = Number(890_880n + 2n * (100_000n + RENT)) - 1;
    let left = 2 * servers.length;
    let meet = (): void => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    for (const server of servers) {
      server.takes = false;
      server.before = async ({ method, params: [address] }) => {
        if (method !== "getAccountInfo" || address !== SOLANA_HOT) return;
        left -= 1;
        if (left === 0) meet();
        await met;
      };
      server.rewrite = ({ method, params: [address] }, answer) => {
        if (method !== "getAccountInfo" || address !== SOLANA_HOT) return answer;
        const { value, ...rest } = answer as { value: object };
        return { ...rest, value: { ...value, lamports } };
      };
    }
    const views = [
      await world.buy(newSolanaWallet(), "50", "usdc-solana"),
      await world.buy(newSolanaWallet(), "50", "usdc-solana"),
    ];
    const states = async () =>
      (await Promise.all(views.map((view) => world.read(view)))).map(({ payout }) => payout?.state);
    await expect.poll(states).toContain("broadcast");
    // The other one is tried again meanwhile, and operators see why it waits.
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toMatch(/has \d+ lamports, and \d+ are needed/);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await states()).toEqual(expect.arrayContaining(["broadcast", "created"]));
    for (const server of servers) {
      server.takes = true;
      server.rewrite = (_, answer) => answer;
    }
    for (const view of views) await world.until(view, "completed");
    expect(world.made()).toBe(made + 2);
    const waits = await world.world.database.query(LIST_WAITS);
    expect(waits).toEqual([]);
    await expectExactBooks(world);
  });

  test("an account that its owner closes is opened again, and its rent is booked", async () => {
    const { chain } = world;
    const owner = await chain.stranger(10n ** 9n);
    await chain.send([openTokens(chain.faucet.address, owner.address, USDC)]);
    const [before, made] = [chain.lamports(SOLANA_HOT), world.made()];
    const isClosed = beforeLanding(() => chain.send([closeTokens(owner.address, USDC)], owner));
    const view = await world.buy(owner.address, "50", "usdc-solana");
    await world.until(view, "completed");
    expect([isClosed(), world.made()]).toEqual([true, made + 1]);
    expect(chain.tokens(usdcOf(owner.address))).toBe((await world.read(view)).payout?.units);
    const cost = before - chain.lamports(SOLANA_HOT);
    expect([cost > RENT + 5_000n, cost < RENT + 6_000n]).toEqual([true, true]);
    expect(await world.stops()).toEqual([]);
    await expectExactBooks(world);
  });

  test("an account that is given to somebody else gets nothing, and the payout costs its fee", async () => {
    const { chain } = world;
    const owner = await chain.stranger(10n ** 9n);
    await fillTokens(chain, owner.address, 1n);
    const [before, made] = [chain.lamports(SOLANA_HOT), world.made()];
    const tokens = chain.tokens(usdcOf(SOLANA_HOT));
    const isGiven = beforeLanding(() =>
      chain.send([giveTokens(owner.address, newSolanaWallet(), USDC)], owner),
    );
    const view = await world.buy(owner.address, "50", "usdc-solana");
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual(["in_review", "delivery_rejected", "void", "failed"]);
    expect([isGiven(), world.made()]).toEqual([true, made + 1]);
    expect(chain.tokens(usdcOf(owner.address))).toBe(1n);
    expect(chain.tokens(usdcOf(SOLANA_HOT))).toBe(tokens);
    const cost = before - chain.lamports(SOLANA_HOT);
    expect([cost > 5_000n, cost < 6_000n]).toEqual([true, true]);
    expect(await world.stops()).toEqual([]);
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
    await expectExactBooks(world);
  });
});
