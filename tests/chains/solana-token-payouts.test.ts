import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { tokenAccountOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { refundOrder } from "../../apps/server/src/flows/orders/refund.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { MERCHANT_ID, openSession } from "../../apps/server/src/testing/world.ts";
import { freezeTokens, giveTokens, openTokens } from "./world/solana-instructions.ts";
import type { SolanaNode, SolanaQuestion } from "./world/solana-node.ts";
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
const usdcOf = (wallet: string): string => tokenAccountOf(wallet, USDC);

/** The chain's own balances judge: tokens arrived once, or not at all. */
describe("payouts of USDC on Solana", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld({ tokens: ["usdc-solana"] });
    await world.start();
  });
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });
  const atEach = (changes: Partial<SolanaNode>): void => {
    for (const server of world.servers) Object.assign(server, changes);
  };
  afterEach(() => atEach({ takes: true, rewrite: (_, answer) => answer }));

  const buy = (to: string, euro?: string) => world.buy(to, euro, "usdc-solana");
  const arrived = async (view: OrderView, to: string, before = 0n) => {
    await world.until(view, "completed");
    expect(world.chain.tokens(usdcOf(to)) - before).toBe((await world.read(view)).payout?.units);
    expect(await world.stops()).toEqual([]);
  };
  const booksAreExact = () => expectExactBooks(world);
  /** Answers the question about one account with changes. */
  const account =
    (address: string, changes: object) =>
    ({ method, params }: SolanaQuestion, answer: unknown): unknown => {
      if (method !== "getAccountInfo" || params[0] !== address) return answer;
      const { value, ...rest } = answer as { value: object };
      return { ...rest, value: { ...value, ...changes } };
    };
  const rejected = async (to: string) => {
    const before = [world.made(), world.chain.tokens(usdcOf(SOLANA_HOT))];
    const view = await buy(to);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual([
      "in_review",
      "delivery_rejected",
      "void",
      "rejected",
    ]);
    expect([world.made(), world.chain.tokens(usdcOf(SOLANA_HOT))]).toEqual(before);
    const explained = await world.line.run("orders", "explain", String(view.order.id));
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
    return explained.out;
  };

  test("tokens arrive in the new token account of a wallet, and fee and rent are booked", async () => {
    const before = world.chain.lamports(SOLANA_HOT);
    const to = newSolanaWallet();
    const view = await buy(to);
    await arrived(view, to);
    const cost = before - world.chain.lamports(SOLANA_HOT);
    expect(cost).toBeGreaterThan(RENT + 5_000n);
    expect(cost).toBeLessThan(RENT + 6_000n);
    expect(world.chain.lamports(to)).toBe(0n);
    await booksAreExact();
    const lines = await world.line.runJson<{ movements: { kind: string; asset: string }[] }>(
      ...["chains", "statement", "--network", "solana"],
    );
    expect(JSON.stringify(lines)).toContain(`-${cost}`);
  });

  test("tokens arrive beside those that a wallet has, and no account is paid for", async () => {
    const to = newSolanaWallet();
    await fillTokens(world.chain, to, 77n);
    const before = world.chain.lamports(SOLANA_HOT);
    await arrived(await buy(to), to, 77n);
    expect(before - world.chain.lamports(SOLANA_HOT)).toBeLessThan(6_000n);
    await booksAreExact();
  });

  test("an account that others have paid a part of is completed, and the rest is the cost", async () => {
    const to = newSolanaWallet();
    await world.chain.pay([{ to: usdcOf(to), units: 1_000_000n }]);
    const before = world.chain.lamports(SOLANA_HOT);
    await arrived(await buy(to), to);
    const cost = before - world.chain.lamports(SOLANA_HOT);
    expect([cost > RENT - 1_000_000n, cost < RENT]).toEqual([true, true]);
    await booksAreExact();
  });

  test("two payments of one amount to one wallet are two transactions, and one of them opens its account", async () => {
    const to = newSolanaWallet();
    const before = world.chain.lamports(SOLANA_HOT);
    const views = [await buy(to), await buy(to)];
    for (const view of views) await world.until(view, "completed");
    const units = await Promise.all(
      views.map(async (one) => (await world.read(one)).payout?.units),
    );
    expect(world.chain.tokens(usdcOf(to))).toBe(
      units.reduce((sum: bigint, one) => sum + (one ?? 0n), 0n),
    );
    await booksAreExact();
    const hashes = await Promise.all(
      views.map(async (one) => (await world.read(one)).payout?.transactionHash),
    );
    const { lines } = await world.line.runJson<{
      lines: { kind: string; transaction: string; assetReference: string; units: string }[];
    }>("chains", "statement", "--network", "solana");
    const costs = lines
      .filter((one) => one.assetReference === "sol" && hashes.includes(one.transaction))
      .map(({ kind, units: moved }) => `${kind} ${-BigInt(moved) > RENT ? "and rent" : "alone"}`);
    expect(costs.toSorted()).toEqual(["fee alone", "fee and rent"]);
    const cost = before - world.chain.lamports(SOLANA_HOT);
    expect([cost > RENT + 10_000n, cost < RENT + 12_000n]).toEqual([true, true]);
  });

  test("a wallet with too few tokens waits, and the operator sees why", async () => {
    const data = Buffer.alloc(165);
    Buffer.from(world.chain.account(usdcOf(SOLANA_HOT))?.data ?? []).copy(data);
    data.writeBigUInt64LE(5n, 64);
    atEach({
      rewrite: account(usdcOf(SOLANA_HOT), { data: [data.toString("base64"), "base64"] }),
    });
    const to = newSolanaWallet();
    const view = await buy(to);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toContain(`the hot wallet ${SOLANA_HOT} has 5 units of usdc-solana`);
    atEach({ rewrite: (_, answer) => answer });
    await arrived(view, to);
  });

  test("a wallet without the lamports for a new account waits, and pays one that needs none", async () => {
    const lamports = 890_880 + 100_000 + 5_000;
    atEach({ rewrite: account(SOLANA_HOT, { lamports }) });
    const [opened, other] = [newSolanaWallet(), newSolanaWallet()];
    const { chain } = world;
    await chain.send([openTokens(chain.faucet.address, opened, USDC)]);
    const waiting = await buy(other);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toMatch(/has 995880 lamports, and \d+ are needed for a fee, a new token account/);
    await arrived(await buy(opened), opened);
    expect(await world.status(waiting)).toBe("sending");
    atEach({ rewrite: (_, answer) => answer });
    await arrived(waiting, other);
  });

  test("a payout waits until the lamports cover the one under way too", async () => {
    const lamports = Number(890_880n + 2n * (100_000n + RENT)) - 1;
    atEach({ rewrite: account(SOLANA_HOT, { lamports }), takes: false });
    const first = newSolanaWallet();
    const underWay = await buy(first);
    await expect.poll(async () => (await world.read(underWay)).payout?.state).toBe("broadcast");
    const to = newSolanaWallet();
    const waiting = await buy(to);
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toMatch(/a new token account and its own rent\. 1 transaction under way takes up to \d+/);
    expect(await world.status(waiting)).toBe("sending");
    atEach({ rewrite: (_, answer) => answer, takes: true });
    await arrived(underWay, first);
    await arrived(waiting, to);
  });

  test("a token account is refused as a wallet when the order is placed", async () => {
    const { deps } = world.service();
    const request = { walletAddress: usdcOf(newSolanaWallet()) };
    const place = placeAndAsk(
      { deps, openSession: (id) => openSession(deps, id) },
      { ...ORDERS.buyByBank, receive: "usdc-solana", amount: "50", request },
    );
    await expect(place).rejects.toThrow("This Solana address has no private key");
  });

  test("an account of a program that looks like a wallet's is in review with the reason", async () => {
    // The mint's own account belongs to the Token program, as a token account with a key does.
    const to = newSolanaWallet();
    const owned = { lamports: 1, owner: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" };
    const value = { ...owned, executable: false, data: ["", "base64"] };
    atEach({
      rewrite: ({ method, params }, answer) =>
        method === "getAccountInfo" && params[0] === to ? { ...(answer as object), value } : answer,
    });
    expect(await rejected(to)).toContain("is an account of a program, and not a wallet");
  });

  test("a frozen account, and one that belongs to somebody else, are in review with the reason", async () => {
    const { chain } = world;
    const frozen = newSolanaWallet();
    await fillTokens(chain, frozen, 1n);
    await chain.send([freezeTokens(chain.faucet.address, frozen, { mint: USDC })]);
    expect(await rejected(frozen)).toContain("has frozen the token account");
    const victim = await chain.stranger(10n ** 9n);
    await fillTokens(chain, victim.address, 1n);
    await chain.send([giveTokens(victim.address, newSolanaWallet(), USDC)], victim);
    expect(await rejected(victim.address)).toContain("belongs to");
  });

  test("a payout that fails in its block moves nothing, costs its fee, and is refunded", async () => {
    const { chain } = world;
    const to = newSolanaWallet();
    await fillTokens(chain, to, 1n);
    const opened = chain.account(usdcOf(to))?.data ?? new Uint8Array();
    await chain.send([freezeTokens(chain.faucet.address, to, { mint: USDC })]);
    // The nodes tell that the account is open, and it is frozen.
    const data = [Buffer.from(opened).toString("base64"), "base64"];
    atEach({ rewrite: account(usdcOf(to), { data }) });
    const [lamports, tokens] = [chain.lamports(SOLANA_HOT), chain.tokens(usdcOf(SOLANA_HOT))];
    const view = await buy(to);
    await world.until(view, "in_review");
    expect(await world.outcome(view)).toEqual(["in_review", "delivery_rejected", "void", "failed"]);
    expect(chain.tokens(usdcOf(SOLANA_HOT))).toBe(tokens);
    expect(lamports - chain.lamports(SOLANA_HOT)).toBeGreaterThan(5_000n);
    expect(lamports - chain.lamports(SOLANA_HOT)).toBeLessThan(6_000n);
    expect(await world.stops()).toEqual([]);
    const { deps } = world.service();
    await refundOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id, by: "operator" });
    await world.until(view, "refunded");
    await booksAreExact();
  });

  test("an endpoint that lies about what arrived is not believed", async () => {
    const [liar] = world.servers;
    if (liar) {
      liar.rewrite = ({ method }, answer) => {
        if (method !== "getTransaction" || answer === null) return answer;
        const { meta, ...rest } = answer as { meta: { preTokenBalances: unknown } };
        return { ...rest, meta: { ...meta, postTokenBalances: meta.preTokenBalances } };
      };
    }
    const to = newSolanaWallet();
    await arrived(await buy(to), to);
    await booksAreExact();
  });
});
