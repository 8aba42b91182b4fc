import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { solanaBytes, tokenAccountOf } from "../../apps/server/src/domain/wallets/solana.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { readRoom } from "../../apps/server/src/storage/treasury/stock.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import {
  freezeTokens,
  giveTokens,
  moveTokens,
  openTokens,
  transferOf,
} from "./world/solana-instructions.ts";
import {
  fillTokens,
  makeSolanaPayingWorld,
  newSolanaAddress,
  newSolanaWallet,
  SOLANA_HOT,
  type SolanaPayingWorld,
  TOKEN_FLOAT,
} from "./world/solana-paying.ts";
import { thiefOf } from "./world/solana-sweeping.ts";
import { TOKEN, USDC, USDT } from "./world/solana-tokens.ts";

/** The audit of the hot wallet's tokens, beside the whole service. The chain's own balances judge. */
describe("the books of the tokens of Solana", () => {
  let world: SolanaPayingWorld;

  beforeEach(async () => {
    world = await makeSolanaPayingWorld({ tokens: ["usdc-solana", "usdt-solana"] });
    await world.start();
  });
  afterEach(() => world?.close());

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
  const usdc = () =>
    found(world.service().deps.catalogue().currencyByCodeOrReference("usdc-solana"));

  /** The ledger, the scanner's rows and the chain have the same tokens. */
  const isExact = async (): Promise<void> => {
    const { database } = world.world;
    const { slot } = world.chain.head();
    await growUntil(async () => ((await findCursor(database, "solana"))?.finalHeight ?? 0n) > slot);
    const account = { merchantId: "all", purpose: "chain_wallet", assetId: usdc().id } as const;
    const held = world.chain.tokens(tokenAccountOf(SOLANA_HOT, USDC));
    await expect.poll(() => readBalance(database, account)).toBe(held);
    const books = await readBooks(database, "solana");
    expect(books.map(({ difference }) => difference)).toEqual(books.map(() => 0n));
  };
  const breaks = async (): Promise<string> => {
    await expect.poll(() => world.stops(), { timeout: 60_000 }).toEqual(["rail chain:solana"]);
    const found = await world.line.runJson<{ problem: string }[]>("ledger", "breaks");
    return found.map(({ problem }) => problem).join("\n");
  };

  test("the first balance, a payout and a refill keep the books exact, and doctor checks the mints", async () => {
    await isExact();
    const view = await world.buy(newSolanaWallet(), "50", "usdc-solana");
    await world.until(view, "completed");
    const { chain } = world;
    await fillTokens(chain, SOLANA_HOT, 77n);
    // A transfer names the token account of the hot wallet, and not the wallet.
    const friend = await chain.stranger(10n ** 9n);
    await fillTokens(chain, friend.address, 55n);
    const units = 55n;
    const brought = await chain.send(
      [moveTokens(friend.address, { to: SOLANA_HOT, units }, USDC)],
      friend,
    );
    await isExact();
    const statement = await world.line.runJson("chains", "statement", "--network", "solana");
    expect(JSON.stringify(statement)).toContain(brought);
    expect(await world.line.runJson("ledger", "breaks")).toEqual([]);
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(
      /wallets of solana: the books equal the chain at block \d+; .* usdc-solana/,
    );
    // The catalogue's mint of USDT is one of Token-2022 on this chain.
    expect(out).toMatch(
      /contracts of solana: usdt-solana is an account of Tokenz\w+, and not of the Token program/,
    );
    const treasury = await world.line.run("treasury", "show");
    expect(treasury.out).toContain("usdc-solana");
  });

  test("one transaction that brings SOL and tokens to the hot wallet is capital in both, and the books stay exact", async () => {
    await isExact();
    const { chain, line } = world;
    const friend = await chain.stranger(10n ** 9n);
    await fillTokens(chain, friend.address, 1n);
    const gift = { to: SOLANA_HOT, units: 1n };
    const brought = await chain.send(
      [transferOf(friend.address, gift), moveTokens(friend.address, gift, USDC)],
      friend,
    );
    await isExact();
    const floats = await line.runJson<{ key: string; assetReference: string }[]>("ledger", "float");
    const booked = floats.filter(({ key }) => key.includes(brought));
    expect(booked.map((one) => one.assetReference).toSorted()).toEqual(["sol", "usdc-solana"]);
    expect(await line.runJson("ledger", "breaks")).toEqual([]);
  });

  test("a stock that its issuer froze stays in the books, and is neither quoted nor refilled until it is thawed", async () => {
    const { chain, line } = world;
    const room = async () => (await readRoom(world.world.database)).get(usdc().id) ?? -1n;
    await growUntil(async () => (await room()) === TOKEN_FLOAT);
    await chain.send([freezeTokens(chain.faucet.address, SOLANA_HOT, { mint: USDC })]);
    await growUntil(async () => (await room()) === 0n);
    const { deps } = world.service();
    const refusal = placeAndAsk(
      { deps, openSession: (id) => openSession(deps, id) },
      { ...ORDERS.buyByBank, receive: "usdc-solana", request: { walletAddress: SOLANA_HOT } },
    );
    await expect(refusal).rejects.toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
    await isExact();
    expect(await world.stops()).toEqual([]);
    const [asset] = (
      await line.runJson<{ currency: string; advice: string; frozen: string }[]>("treasury", "show")
    ).filter(({ currency }) => currency === "usdc-solana");
    const frozen = String(TOKEN_FLOAT / 10n ** 6n);
    expect(asset).toMatchObject({ advice: "-", frozen });
    const sentence = `usdc-solana is frozen by its issuer: none of the ${frozen} in the hot wallet can be paid out`;
    expect((await line.run("treasury", "show")).out).toContain(`${sentence}. Ask the issuer.`);
    expect((await line.run("doctor")).out).toContain(sentence);
    await chain.send([
      freezeTokens(chain.faucet.address, SOLANA_HOT, { mint: USDC, isFrozen: false }),
    ]);
    await growUntil(async () => (await room()) === TOKEN_FLOAT);
    await world.until(await world.buy(newSolanaWallet(), "50", "usdc-solana"), "completed");
    await isExact();
  });

  test("tokens at a deposit address are in no book, and the order is paid by its SOL", async () => {
    const { chain } = world;
    const { deps } = world.service();
    const view = await placeAndAsk(
      { deps, openSession: (id) => openSession(deps, id) },
      {
        ...ORDERS.sell,
        spend: "sol",
        amount: "200",
        request: { ...ORDERS.sell.request, refundAddress: newSolanaAddress() },
      },
    );
    const { address, units } = found(view.instruction);
    await fillTokens(chain, String(address), 5_000n);
    await chain.pay([{ to: String(address), units }]);
    await world.until(view, "completed");
    await isExact();
    expect((await world.read(view)).deposits.map((one) => one.units)).toEqual([units]);
    expect(await world.stops()).toEqual([]);
  });

  test("nobody can sell or swap a token that is only paid out", async () => {
    const { deps } = world.service();
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    const request = { refundAddress: newSolanaWallet() };
    const sale = { ...ORDERS.sell, request: { ...ORDERS.sell.request, ...request } };
    const swap = { ...ORDERS.swap, request: { ...ORDERS.swap.request, ...request } };
    const swapToSol = {
      ...{ ...ORDERS.swap, receive: "sol" },
      request: { ...request, walletAddress: newSolanaWallet() },
    };
    for (const order of [sale, swap, swapToSol]) {
      await expect(
        placeAndAsk(place, { ...order, spend: "usdc-solana", amount: "200" }),
      ).rejects.toMatchObject({ code: "PAYMENT_METHOD_UNAVAILABLE" });
    }
    // Both ways exist, and are open for SOL.
    for (const order of [sale, swap]) {
      const view = await placeAndAsk(place, { ...order, spend: "sol", amount: "2" });
      expect(view.order.status).toBe("awaiting_payment");
    }
  });

  test("a token of Token-2022 is never paid, even if nodes tell of a stock of it", async () => {
    const { chain, servers } = world;
    const own = tokenAccountOf(SOLANA_HOT, USDT);
    const accountData = Buffer.from(chain.account(tokenAccountOf(SOLANA_HOT, USDC))?.data ?? []);
    accountData.set(solanaBytes(USDT));
    const account = {
      ...{ lamports: 2_039_280, owner: TOKEN, executable: false },
      data: [accountData.toString("base64"), "base64"],
    };
    for (const server of servers) {
      server.rewrite = ({ method, params: [target] }, answer) => {
        const { value } = (answer ?? {}) as { value?: unknown };
        if (method === "getAccountInfo" && target === own) {
          return { ...(answer as object), value: account };
        }
        if (method !== "getMultipleAccounts" || !Array.isArray(value)) return answer;
        const addresses = target as readonly string[];
        const changed = addresses.map((one, at) => (one === own ? account : value[at]));
        return { ...(answer as object), value: changed };
      };
    }
    const made = world.made();
    await growUntil(async () => {
      const books = await readBooks(world.world.database, "solana");
      return books.some((one) => one.assetReference === "usdt-solana" && one.chainUnits > 0n);
    });
    const view = await world.buy(newSolanaWallet(), "50", "usdt-solana");
    await expect
      .poll(async () => (await world.line.run("payouts", "list", "--waiting")).out)
      .toMatch(/cannot pay usdt-solana: its mint Es9v\w+ is an account of Tokenz\w+/);
    expect(await world.status(view)).toBe("sending");
    expect(world.made()).toBe(made);
  });

  test("a thief's transfer of tokens stops the network, and the audit names it", async () => {
    await isExact();
    const thief = await thiefOf("hot");
    const to = newSolanaWallet();
    const { chain } = world;
    await chain.send([openTokens(chain.faucet.address, to, USDC)]);
    const hash = await chain.send([moveTokens(SOLANA_HOT, { to, units: 1_000n }, USDC)], thief);
    expect(await breaks()).toContain(
      `transaction ${hash}, which we did not sign, took 1000 units of usdc-solana from wallet`,
    );
  });

  test("SOL that a thief moves into a new token account is not taken for its rent", async () => {
    await isExact();
    const thief = await thiefOf("hot");
    const to = newSolanaWallet();
    const units = 100n * 10n ** 9n;
    const hash = await world.chain.send(
      [
        openTokens(SOLANA_HOT, to, USDC),
        transferOf(SOLANA_HOT, { to: tokenAccountOf(to, USDC), units }),
      ],
      thief,
    );
    expect(await breaks()).toContain(
      `transaction ${hash}, which we did not sign, took ${units} units of sol from wallet`,
    );
  });

  test("a thief who takes over the token account stops the network", async () => {
    await isExact();
    const thief = await thiefOf("hot");
    const hash = await world.chain.send([giveTokens(SOLANA_HOT, newSolanaWallet(), USDC)], thief);
    expect(await breaks()).toContain(
      `transaction ${hash}, which we did not sign, took ${TOKEN_FLOAT} units of usdc-solana from wallet`,
    );
  });

  test("tokens that leave in a transaction that no endpoint lists are missing at the final block", async () => {
    await isExact();
    const own = tokenAccountOf(SOLANA_HOT, USDC);
    const watched = new Set([SOLANA_HOT, own]);
    for (const server of world.servers) {
      server.rewrite = ({ method, params }, answer) =>
        method === "getSignaturesForAddress" && watched.has(String(params[0])) ? [] : answer;
    }
    const thief = await thiefOf("hot");
    const to = newSolanaWallet();
    const { chain } = world;
    await chain.send([openTokens(chain.faucet.address, to, USDC)]);
    await chain.send([moveTokens(SOLANA_HOT, { to, units: 1_000n }, USDC)], thief);
    await growUntil(async () => (await world.stops()).length > 0);
    expect(await breaks()).toContain("1000 units of usdc-solana");
  });
});
