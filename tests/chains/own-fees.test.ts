import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Quote } from "../../apps/server/src/domain/quotes/quote.ts";
import { createQuote } from "../../apps/server/src/flows/quotes/create.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";
import type { PayingService } from "./world/paying-service.ts";
import {
  makeSolanaPayingWorld,
  newSolanaAddress,
  newSolanaWallet,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "./world/solana-paying.ts";
import { makeTronPayingWorld, newTronAddress, type TronPayingWorld } from "./world/tron-paying.ts";
import { makeXrpPayingWorld, newXrpAddress, type XrpPayingWorld } from "./world/xrp-paying.ts";

const FEES = { everySeconds: 1, freshSeconds: 8 } as const;

/** Returns a quote for a purchase of the coin by bank transfer. */
function quoteFor(world: PayingService, receive: string): Promise<Quote> {
  const { deps } = world.service();
  const catalogue = deps.catalogue();
  const idOf = (name: string) => found(catalogue.currencyByCodeOrReference(name)).id;
  return createQuote(deps, {
    merchantId: MERCHANT_ID,
    operation: "buy",
    spendCurrencyId: idOf("eur"),
    receiveCurrencyId: idOf(receive),
    paymentMethodId: found(catalogue.paymentMethodByReference("sepa")).id,
    spendAmount: { units: 100n, scale: 0 },
  });
}

const feeOf = async (world: PayingService, receive: string) =>
  (await quoteFor(world, receive)).evidence?.networkFee;
const refusalOf = (world: PayingService, receive: string): Promise<unknown> =>
  quoteFor(world, receive).catch((error: unknown) => error);

/** The fee that is published is the same value at the quote's own prices, to half a step. */
function requirePublished({ deliveryFee, evidence }: Quote, units: bigint): void {
  const { publishedDecimals, decimals } = deliveryFee.asset;
  const step = 10n ** BigInt(decimals - publishedDecimals);
  expect(evidence?.receive.dollars).toBe(evidence?.networkFee?.dollars);
  expect(deliveryFee.units).toBe(((units + step / 2n) / step) * step);
}

describe.skipIf(LITECOIND_PATH === "")("quotes that deliver litecoin", () => {
  let world: PayingCoins;

  beforeAll(async () => {
    const fallback = { rateUnits: "77", seconds: 15 };
    world = await makePayingCoins({ fees: { ...FEES, fallback } });
    await world.start();
    await world.fund();
  });
  afterAll(() => world?.close());

  test("a quote pays for the bytes of a payout, at the fixed rate while the node has no estimate", async () => {
    const measured = async (): Promise<Quote> => {
      const quote = await quoteFor(world, "ltc");
      expect(quote.evidence?.networkFee).toMatchObject({
        ...{ networkCode: "litecoin", coin: "LTC", amount: "0.0000141" },
        ...{ rate: "10", work: "141", kind: "market" },
      });
      return quote;
    };
    // Nothing is quoted before the scanner has read the hot wallet, and a stale measurement pays the fallback.
    requirePublished(await vi.waitFor(measured, { timeout: 60_000, interval: 100 }), 1_410n);
  });

  test("the payout costs as much as its quote said, and orders explain names rate and work", async () => {
    world.setRate(30);
    await expect.poll(() => feeOf(world, "ltc")).toMatchObject({ rate: "30", work: "141" });
    const address: string = await world.node.call("getnewaddress", "", "bech32");
    const view = await world.buy(address);
    await world.growToStatus(view, "completed", () => world.mine(1));
    await expect.poll(() => world.feesPaid()).toBe(141n * 30n);
    const { out } = await world.line.run("orders", "explain", "--order", String(view.order.id));
    expect(out).toMatch(
      /Delivery on litecoin was priced at 0\.0000423 LTC: 141 units of work at 30 \(measured .*\), one LTC at \d+/,
    );
    const shown = await world.line.runJson<{ fees: { rate: string } }[]>("chains", "show");
    expect(found(shown[0]).fees.rate).toBe("30");
  });

  test("a rate above that of the payouts is not quoted", async () => {
    world.setRate(500);
    await expect.poll(() => feeOf(world, "ltc")).toMatchObject({ rate: "500" });
    world.setRate(501);
    await expect
      .poll(() => refusalOf(world, "ltc"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "Sending on Litecoin is too dear at the moment. Try again later.",
      });
    world.setRate(12);
    await expect.poll(() => feeOf(world, "ltc").catch(() => null)).toMatchObject({ rate: "12" });
  });

  test("without a fresh measurement the fallback is paid and named, and afterwards nothing is quoted", async () => {
    world.endpoint.behaviour = {
      rewrite: ({ method }, result) =>
        method === "estimatesmartfee" ? { feerate: "-0.1" } : result,
    };
    await expect
      .poll(() => feeOf(world, "ltc"))
      .toMatchObject({ kind: "fallback", rate: "77", work: "141" });
    await expect
      .poll(() => refusalOf(world, "ltc"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "The network fee of Litecoin is not known at the moment. Try again later.",
      });
    world.setRate(15);
    await expect
      .poll(() => feeOf(world, "ltc").catch(() => null))
      .toMatchObject({ kind: "market", rate: "15" });
  });
});

describe("quotes that deliver XRP", () => {
  let world: XrpPayingWorld;

  beforeAll(async () => {
    world = await makeXrpPayingWorld();
    await world.start({ fees: FEES });
  });
  afterAll(() => world?.close());

  const fee = (): Promise<unknown> => feeOf(world, "xrp").catch(() => null);

  test("a quote pays the fee of one payment, as the open ledger takes it", async () => {
    world.chain.fee = 640n;
    // Nothing is quoted before the scanner has read the account.
    await world.growUntil(async () => (await fee()) !== null);
    await expect.poll(fee).toMatchObject({
      ...{ networkCode: "xrpl", coin: "XRP", amount: "0.00064" },
      ...{ rate: "640", work: "1", kind: "market" },
    });
    requirePublished(await quoteFor(world, "xrp"), 640n);
    const view = await world.buy({ address: newXrpAddress() });
    await world.until(view, "completed");
    const { out } = await world.line.run("orders", "explain", "--order", String(view.order.id));
    expect(out).toMatch(/Delivery on xrpl was priced at 0\.00064 XRP: 1 units of work at 640/);
  });

  test("a fee above that of the payouts is not quoted", async () => {
    world.chain.fee = 10_001n;
    await expect
      .poll(() => refusalOf(world, "xrp"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "Sending on XRP Ledger is too dear at the moment. Try again later.",
      });
    world.chain.fee = 10_000n;
    await expect.poll(fee).toMatchObject({ rate: "10000" });
  });

  test("servers that contradict each other give no fee, and a stale one is not quoted", async () => {
    for (const [index, server] of world.servers.entries()) {
      server.rewrite = ({ method }, answer) =>
        method === "fee"
          ? { ...answer, drops: { base_fee: "10", open_ledger_fee: String(10 ** (index + 1)) } }
          : answer;
    }
    await expect
      .poll(() => refusalOf(world, "xrp"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "The network fee of XRP Ledger is not known at the moment. Try again later.",
      });
    const { out } = await world.line.run("chains", "show");
    expect(out).toMatch(/fees: 2 endpoints must agree, and they say/);
  });
});

describe("quotes that deliver SOL", () => {
  let world: SolanaPayingWorld;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld({ tokens: ["usdc-solana"] });
    const fallback = { rateUnits: "6000", seconds: 600 };
    await world.start({ fees: { ...FEES, fallback } });
  });
  afterAll(() => world?.close());

  const fee = (): Promise<unknown> => feeOf(world, "sol").catch(() => null);
  const setPrice = (price: number): void => {
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) =>
        method === "getRecentPrioritizationFees" ? [{ slot: 1, prioritizationFee: price }] : answer;
    }
  };

  test("a quote pays the fee of one transfer, which its payout costs", async () => {
    setPrice(3_000_000);
    const poll = async (): Promise<unknown> => {
      // Nothing is quoted before the scanner has read the hot wallet.
      await world.grow();
      return fee();
    };
    await expect.poll(poll).toMatchObject({
      ...{ networkCode: "solana", coin: "SOL", amount: "0.000008001" },
      ...{ rate: "8001", work: "1", kind: "market" },
    });
    requirePublished(await quoteFor(world, "sol"), 8_001n);
    const view = await world.buy(newSolanaAddress());
    await world.until(view, "completed");
    const [made] = world.chain.blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ accounts }) => accounts[0] === SOLANA_HOT);
    expect([8_000n, 8_001n]).toContain(made?.fee);
    const { out } = await world.line.run("orders", "explain", "--order", String(view.order.id));
    expect(out).toMatch(
      /Delivery on solana was priced at 0\.000008001 SOL: 1 units of work at 8001/,
    );
  });

  test("a quote of a token pays its compute units and the rent of a new account, which its payout costs", async () => {
    setPrice(500_000);
    await expect
      .poll(() => feeOf(world, "usdc-solana").catch(() => null))
      .toMatchObject({
        ...{ networkCode: "solana", coin: "SOL", amount: "0.00208436" },
        ...{ rate: "45080", work: "1", byteRate: "6960", bytes: "293", kind: "market" },
      });
    // Some 0.32 dollars, in units of USDC.
    const { deliveryFee } = await quoteFor(world, "usdc-solana");
    expect(Number(deliveryFee.units) / 320_000).toBeCloseTo(1, 1);
    const before = world.chain.lamports(SOLANA_HOT);
    const view = await world.buy(newSolanaWallet(), "50", "usdc-solana");
    await world.until(view, "completed");
    const cost = before - world.chain.lamports(SOLANA_HOT);
    expect(cost).toBeGreaterThan(2_084_360n - 81n);
    expect(cost).toBeLessThanOrEqual(2_084_360n);
    const { out } = await world.line.run("orders", "explain", "--order", String(view.order.id));
    expect(out).toMatch(
      /priced at 0\.00208436 SOL: 1 units of work at 45080 and 293 bytes at 6960/,
    );
  });

  test("a token whose transaction would cost more than payouts may is not quoted, and SOL is", async () => {
    setPrice(1_300_000);
    await expect
      .poll(() => refusalOf(world, "usdc-solana"))
      .toMatchObject({ code: "LIQUIDITY_UNAVAILABLE" });
    expect(await fee()).toMatchObject({ rate: "6301" });
  });

  test("a fee above that of the payouts is not quoted", async () => {
    setPrice(95_000_000);
    await expect
      .poll(() => refusalOf(world, "sol"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "Sending on Solana is too dear at the moment. Try again later.",
      });
    setPrice(94_999_000);
    await expect.poll(fee).toMatchObject({ rate: "100000" });
  });

  test("without a fresh measurement the fallback is paid and named, by a token for its own compute units", async () => {
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) =>
        method === "getRecentPrioritizationFees" ? [{ prioritizationFee: "dear" }] : answer;
    }
    await expect.poll(fee).toMatchObject({ kind: "fallback", rate: "6000", work: "1" });
    expect(await feeOf(world, "usdc-solana")).toMatchObject({ kind: "fallback", rate: "85000" });
  });
});

describe.skipIf(ANVIL_PATH === "")("quotes that deliver on Tron", () => {
  let world: TronPayingWorld;

  beforeAll(async () => {
    world = await makeTronPayingWorld();
    const fallback = { rateUnits: "250", seconds: 600 };
    await world.start({ fees: { ...FEES, fallback } });
  });
  afterAll(() => world?.close());

  const fee = (receive: string): Promise<unknown> => feeOf(world, receive).catch(() => null);
  const setParameters = (values: Readonly<Record<string, unknown>>): void => {
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) => {
        if (method !== "/wallet/getchainparameters") return answer;
        const { chainParameter } = answer as { chainParameter: { key: string; value: unknown }[] };
        const own = chainParameter.map(({ key, value }) => ({ key, value: values[key] ?? value }));
        return { chainParameter: own };
      };
    }
  };

  test("a token pays for energy and bytes, and TRX for bytes and the first payment to an address", async () => {
    setParameters({ getEnergyFee: 100 });
    const poll = async (): Promise<unknown> => {
      // Nothing is quoted before the scanner has read the hot wallet.
      await world.grow();
      return fee("usdt-tron");
    };
    await expect.poll(poll).toMatchObject({
      ...{ networkCode: "tron", coin: "TRX", amount: "13.5", kind: "market" },
      ...{ rate: "100", work: "131000", byteRate: "1000", bytes: "400" },
    });
    expect(await feeOf(world, "trx")).toMatchObject({
      ...{ coin: "TRX", amount: "1.5", kind: "market" },
      ...{ rate: "100", work: "0", byteRate: "1000", bytes: "1500" },
    });
    requirePublished(await quoteFor(world, "trx"), 1_500_000n);
    for (const [asset, words] of [
      ["usdt-tron", "13.5 TRX: 131000 units of work at 100 and 400 bytes at 1000 (measured"],
      ["trx", "1.5 TRX: 1500 bytes at 1000 (measured"],
    ] as const) {
      const view = await world.buy(asset, newTronAddress());
      const explained = await world.line.run("orders", "explain", "--order", String(view.order.id));
      expect(explained.out).toContain(`Delivery on tron was priced at ${words}`);
    }
    const { out } = await world.line.run("chains", "show");
    expect(out).toMatch(/100 and 1000 a byte, \d+ s old/);
  });

  test("a price of energy at which no token is sent is not quoted, and TRX are", async () => {
    // The call's limit is a quarter above its energy: 163,750 at 305 sun are the last below 50 TRX.
    setParameters({ getEnergyFee: 306 });
    await expect
      .poll(() => refusalOf(world, "usdt-tron"))
      .toMatchObject({
        code: "LIQUIDITY_UNAVAILABLE",
        message: "Sending on Tron is too dear at the moment. Try again later.",
      });
    expect(await feeOf(world, "trx")).toMatchObject({ amount: "1.5" });
    setParameters({ getEnergyFee: 305 });
    await expect.poll(() => fee("usdt-tron")).toMatchObject({ rate: "305" });
  });

  test("without a fresh measurement energy costs the fallback, and a byte as much as before", async () => {
    setParameters({ getEnergyFee: "cheap" });
    await expect
      .poll(() => fee("usdt-tron"))
      .toMatchObject({
        ...{ kind: "fallback", amount: "33.15", rate: "250", work: "131000" },
        ...{ byteRate: "1000", bytes: "400" },
      });
  });
});
