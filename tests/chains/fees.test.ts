import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeEvmFeeMarket } from "../../apps/server/src/adapters/chains/evm/fee-market.ts";
import { type FeeMarket, FLAT_FEES } from "../../apps/server/src/domain/ports/network-fees.ts";
import type { Quote } from "../../apps/server/src/domain/quotes/quote.ts";
import { createQuote } from "../../apps/server/src/flows/quotes/create.ts";
import { readLimits } from "../../apps/server/src/flows/quotes/read-limits.ts";
import { type RunningService } from "../../apps/server/src/main.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { type CommandLine, openCommandLine } from "../../apps/server/src/testing/command-line.ts";
import { startWithRails } from "../../apps/server/src/testing/rails-service.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH, type Anvil, CHAIN_ID, startAnvil } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import {
  type Behaviour,
  BROKEN_ANSWERS,
  type LyingProxy,
  startProxy,
} from "./world/lying-proxy.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";

const GWEI = 1_000_000_000n;

/** Reads an amount of ether, such as 0.0013, exactly. */
function weiOf(ether: string): bigint {
  const [whole = "", part = ""] = ether.split(".");
  return BigInt(`${whole}${part.padEnd(18, "0")}`);
}

const coinsOf = ({ units, asset }: Quote["receive"]): number =>
  Number(units) / 10 ** asset.decimals;

/** Without a hot wallet nothing is quoted. The scanner does not read one without an address. */
const STOCK = statement(
  "test_stock",
  `with wallets as (
     insert into chain_wallets (id, network_code, next_place)
       select network_code || ':hot', network_code, 0 from live_networks returning id, network_code)
   insert into wallet_balances (wallet_id, asset_id, units, used_places, height)
     select wallets.id, currencies.id, 1e30, 0, 1 from wallets join currencies using (network_code)`,
);

interface FeeHistory {
  readonly baseFeePerGas: readonly string[];
  readonly reward: readonly (readonly string[])[];
}

/** An endpoint whose fee market is a multiple of the node's. */
const times = (numerator: bigint, denominator = 1n): Behaviour => ({
  rewrite: ({ method }, result) => {
    if (method !== "eth_feeHistory") return result;
    const history = result as FeeHistory;
    const scaled = (fee: string): string =>
      `0x${((BigInt(fee) * numerator) / denominator).toString(16)}`;
    return {
      ...history,
      baseFeePerGas: history.baseFeePerGas.map(scaled),
      reward: history.reward.map((tips) => tips.map(scaled)),
    };
  },
});

describe.skipIf(ANVIL_PATH === "")("the fee market of a real node", () => {
  let node: Anvil;
  let proxies: readonly LyingProxy[];
  let market: FeeMarket;
  let suspects: string[];

  const open = (tipMin = 0n): FeeMarket =>
    makeEvmFeeMarket({
      networkCode: "ethereum",
      finality: { tag: "none", atLeast: 1 },
      chainId: CHAIN_ID,
      genesis: undefined,
      endpoints: proxies.map(({ url }, index) => ({ name: `node-${index}`, url, isOwn: false })),
      quorum: 2,
      timeoutMs: 60_000,
      tipMin,
      suspect: (endpoint) => suspects.push(endpoint),
    });
  /** The node's own fees by another of its methods: twice the next base fee. */
  const twiceBase = async (): Promise<bigint> => {
    const block = await node.call<{ baseFeePerGas: string }>(
      "eth_getBlockByNumber",
      "pending",
      false,
    );
    return 2n * BigInt(block.baseFeePerGas);
  };
  const behave = (...behaviours: readonly Behaviour[]): void => {
    for (const [index, proxy] of proxies.entries()) proxy.behaviour = behaviours[index] ?? {};
  };
  const readRate = async (): Promise<bigint> => (await market.readRates()).rate;

  beforeEach(async () => {
    suspects = [];
    node = await startAnvil();
    await node.call("anvil_setNextBlockBaseFeePerGas", `0x${(20n * GWEI).toString(16)}`);
    await node.call("anvil_mine", "0x1");
    proxies = await Promise.all([0, 1, 2].map(() => startProxy(node.url)));
    market = open();
  });
  afterEach(async () => {
    await market.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await node.kill();
  });

  test("a rate is twice the next base fee and the median tip, and at least the least tip", async () => {
    const [from] = await node.call<string[]>("eth_accounts");
    // No transaction has paid a tip yet.
    expect(await readRate()).toBe(await twiceBase());
    await market.close();
    market = open(3n * GWEI);
    expect(await readRate()).toBe((await twiceBase()) + 3n * GWEI);
    for (let count = 0; count < 10; count += 1) {
      const fees = { maxFeePerGas: `0x${(99n * GWEI).toString(16)}` };
      const tip = { maxPriorityFeePerGas: `0x${(5n * GWEI).toString(16)}` };
      const hash = await node.call("eth_sendTransaction", { from, to: from, ...fees, ...tip });
      while ((await node.call<object | null>("eth_getTransactionReceipt", hash)) === null);
    }
    expect(await readRate()).toBe((await twiceBase()) + 5n * GWEI);
  });

  test("one endpoint that says a hundredfold or a hundredth is not believed, and is named", async () => {
    const honest = await readRate();
    for (const lie of [times(100n), times(1n, 100n)]) {
      behave({}, lie, {});
      await expect
        .poll(async () => {
          // While the third is late, the other two contradict each other and either may be the liar.
          suspects.length = 0;
          expect(await readRate()).toBe(honest);
          return suspects;
        })
        .toContain("node-1");
      expect(suspects).not.toContain("node-0");
    }
  });

  test("three endpoints that contradict each other give no rate", async () => {
    behave(times(100n), times(1n, 100n), {});
    await expect(readRate()).rejects.toThrow(/2 endpoints must agree/);
  });

  test("two of three endpoints are enough, whatever the third answers", async () => {
    const honest = await readRate();
    for (const broken of BROKEN_ANSWERS) {
      behave({ broken: [broken] });
      expect(await readRate()).toBe(honest);
    }
    behave({ broken: ["status 500"] }, { broken: ["half a body"] });
    await expect(readRate()).rejects.toThrow(/2 endpoints must agree, 1 did/);
  });

  test.each([
    ["an empty list of base fees", { baseFeePerGas: [], reward: [] }],
    ["no base fees, as before London", { reward: [["0x1"]] }],
    ["a tip that is a number", { baseFeePerGas: ["0x1"], reward: [[1]] }],
    ["no list of tips", { baseFeePerGas: ["0x1"], reward: "none" }],
    ["a word", "0x1"],
  ])("%s is a fault of its endpoint", async (_what, history) => {
    const rewrite: Behaviour["rewrite"] = ({ method }, result) =>
      method === "eth_feeHistory" ? history : result;
    behave({ rewrite }, { rewrite });
    await expect(readRate()).rejects.toThrow(/bad/);
  });
});

describe.skipIf(ANVIL_PATH === "")("quotes that deliver on a live network", () => {
  let node: Anvil;
  let proxies: readonly LyingProxy[];
  let world: World;
  let line: CommandLine;
  let service: RunningService;

  beforeAll(async () => {
    node = await startAnvil();
    await node.call("anvil_mine", "0x14");
    proxies = await Promise.all([0, 1].map(() => startProxy(node.url)));
    world = await makeWorld();
    line = await openCommandLine(world.database);
    const network = (index: number, fees: object) => ({
      kind: "evm",
      chainId: CHAIN_ID,
      endpoints: [{ name: `node-${index}`, url: found(proxies[index]).url }],
      finality: { atLeast: 1 },
      scan: { pollMs: 100 },
      fees: { everySeconds: 1, freshSeconds: 8, ...fees },
      deposits: { xpub: XPUB },
    });
    const fallback = { rateUnits: String(7n * GWEI), seconds: 3_600 };
    const chains = {
      ethereum: network(0, {}),
      base: network(1, { fallback, surchargeUnits: "1000000000000" }),
      polygon: network(1, { kind: "catalogue" }),
    };
    service = await startWithRails(line, { chains });
    await world.database.query(STOCK);
    await vi.waitFor(
      () => {
        const stock = [...service.deps.controls().stock.values()];
        if (stock.length === 0 || stock.some((units) => units <= 0n)) throw new Error("no stock");
      },
      { timeout: 60_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all((proxies ?? []).map((proxy) => proxy.close()));
    await line?.close();
    await world?.close();
    await node?.kill();
  });

  const buying = (receive: string) => {
    const catalogue = service.deps.catalogue();
    const idOf = (name: string) => found(catalogue.currencyByCodeOrReference(name)).id;
    return {
      merchantId: MERCHANT_ID,
      operation: "buy",
      spendCurrencyId: idOf("eur"),
      receiveCurrencyId: idOf(receive),
      paymentMethodId: found(catalogue.paymentMethodByReference("sepa")).id,
    } as const;
  };
  const quoteFor = (receive: string): Promise<Quote> =>
    createQuote(service.deps, { ...buying(receive), spendAmount: { units: 9_000n, scale: 0 } });
  const feeOf = async (receive: string) =>
    (await quoteFor(receive).catch(() => undefined))?.evidence?.networkFee;
  const behave = (behaviour: Behaviour): void => {
    for (const proxy of proxies) proxy.behaviour = behaviour;
  };

  test("a quote pays the gas of its transfer at the rate of the network, and keeps the origin", async () => {
    await expect.poll(() => feeOf("eth")).toMatchObject({ kind: "market", work: "21000" });
    const native = found(await feeOf("eth"));
    expect(BigInt(native.rate)).toBeGreaterThan(0n);
    for (const [receive, work] of [
      ["eth", "21000"],
      ["usdc-ethereum", "65000"],
      ["usdt-ethereum", "75000"],
    ] as const) {
      const quote = await quoteFor(receive);
      const fee = found(quote.evidence?.networkFee);
      expect(fee).toMatchObject({ networkCode: "ethereum", coin: "ETH", work });
      const wei = BigInt(fee.work) * BigInt(fee.rate);
      expect(weiOf(fee.amount)).toBe(wei);
      // The published fee is the same value at the quote's own prices, to half a step.
      const coins = Number(fee.amount) * Number(fee.dollars);
      const published = coinsOf(quote.deliveryFee);
      const half = 0.5 / 10 ** quote.receive.asset.publishedDecimals;
      const dollars = Number(quote.evidence?.receive.dollars);
      expect(Math.abs(published - coins / dollars)).toBeLessThanOrEqual(half * 1.000_001);
    }
  });

  test("a network of the sandbox and one that chose so keep the catalogue's flat fee", async () => {
    for (const receive of ["btc", "pol"]) {
      const { deliveryFee, evidence } = await quoteFor(receive);
      expect(evidence?.networkFee).toBeUndefined();
      const { perEuro, publishedDecimals } = found(
        service.deps.catalogue().currencyByCodeOrReference(receive),
      );
      const flat = (0.49 * Number(perEuro.units)) / 10 ** perEuro.scale;
      expect(coinsOf(deliveryFee)).toBeCloseTo(flat, publishedDecimals);
    }
  });

  test("a rise of the network's fees reaches the quotes, and the limits that are published", async () => {
    const before = BigInt(found(await feeOf("eth")).rate);
    behave(times(1_000n));
    await expect
      .poll(async () => BigInt((await feeOf("eth"))?.rate ?? 0n))
      .toBeGreaterThan(before * 100n);
    // The prices move each second, and then the quote and the limits are of different ones.
    const limits = await vi.waitFor(
      async () => {
        const [way] = readLimits(service.deps, buying("eth"));
        expect((await quoteFor("eth")).limits.min).toEqual(found(way).limits.min);
        return found(way).limits;
      },
      { timeout: 60_000, interval: 100 },
    );
    const [flat] = readLimits({ ...service.deps, networkFees: FLAT_FEES }, buying("eth"));
    expect(limits.minBoundBy).toBe("fees");
    expect(limits.min.units).toBeGreaterThan(found(flat).limits.min.units);
    behave({});
    await expect
      .poll(async () => BigInt((await feeOf("eth"))?.rate ?? 0n))
      .toBeLessThan(before * 100n);
  });

  test("without a fresh measurement quotes are refused, or pay the fallback of the rails file", async () => {
    behave({ broken: ["status 500"] });
    const refusal = (): Promise<unknown> => quoteFor("eth").catch((error: unknown) => error);
    await expect.poll(refusal).toMatchObject({
      code: "LIQUIDITY_UNAVAILABLE",
      message: "The network fee of Ethereum is not known at the moment. Try again later.",
    });
    await expect
      .poll(() => feeOf("eth-base"))
      .toMatchObject({ kind: "fallback", rate: String(7n * GWEI), work: "21000" });
    const fee = found(await feeOf("eth-base"));
    expect(weiOf(fee.amount)).toBe(21_000n * 7n * GWEI + 10n ** 12n);
    // Networks that need no measurement go on.
    expect((await quoteFor("btc")).receive.units).toBeGreaterThan(0n);
    behave({});
    await expect.poll(() => feeOf("eth")).toMatchObject({ kind: "market" });
  });
});

describe.skipIf(ANVIL_PATH === "")("an order that was quoted with a network fee", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld();
    await world.start();
  });
  afterAll(() => world?.close());

  test("orders explain says what the delivery was priced at, from the first quote on", async () => {
    const { order } = await world.buy("usdt", newAddress(), "500");
    const { out } = await world.line.run("orders", "explain", "--order", String(order.id));
    expect(out).toMatch(
      /Delivery on ethereum was priced at 0\.\d+ ETH: 75000 units of work at \d+ \(measured .*\), one ETH at \d+/,
    );
    const shown = await world.line.runJson<{ fees: { rate: string } }[]>("chains", "show");
    expect(BigInt(found(shown[0]).fees.rate)).toBeGreaterThan(0n);
  });
});
