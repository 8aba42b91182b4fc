import { type Decimal, formatDecimal, parseDecimal, toDecimal } from "@exchange/money";
import Big from "big.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { everyWay, receiving, spending } from "../../testing/exchanges.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { NetworkFee, NetworkFees } from "../ports/network-fees.ts";
import type { PriceTable } from "../ports/rate-source.ts";
import type { Terms } from "../rules/terms.ts";
import { type AgedRate, type FeePolicy, feeOfTransfer } from "./fee-rate.ts";
import { withNetworkFee } from "./network-fee.ts";
import { priceExchange } from "./price.ts";
import { ratesFor } from "./rates.ts";

const AT = new Date("2026-11-22T08:00:00Z");

let catalogue: Catalogue;
let ways: readonly Terms[];
beforeAll(async () => {
  catalogue = await shippedCatalogue();
  const evm = (terms: Terms): boolean =>
    catalogue.network(terms.receive.networkCode ?? "")?.addressFormat === "evm";
  ways = everyWay(catalogue).filter(evm);
}, 60_000);

const coinOf = (reference: string) => found(catalogue.currencyByCodeOrReference(reference));

function feesOf(changes: Partial<NetworkFee> = {}): NetworkFees {
  const fee = { networkCode: "ethereum", coin: coinOf("eth"), work: 65_000n, rate: 1n, at: AT };
  return { feeOf: () => ({ ...fee, units: 0n, kind: "market", ...changes }) };
}

/** Prices in dollars. Codes without one have the price 1. */
function pricesOf(prices: Readonly<Record<string, Decimal | undefined>>): PriceTable {
  const price = (code: string): Decimal | undefined =>
    Object.hasOwn(prices, code) ? prices[code] : { units: 1n, scale: 0 };
  return {
    at: AT,
    price,
    evidence: () => ({ at: AT, sources: ["test"], apartBasisPoints: 0, kind: "market" }),
    costBasisPoints: () => 0,
  };
}

const decimal = (text: string): Decimal => found(parseDecimal(text));
const wayTo = (reference: string, by = "card"): Terms =>
  found(
    ways.find(
      ({ receive, spend, paymentMethod }) =>
        receive.reference === reference && spend.code === "EUR" && paymentMethod.reference === by,
    ),
  );

function applied(terms: Terms, fees: NetworkFees, table: PriceTable) {
  const result = withNetworkFee(terms, fees, table);
  if (!result.ok) throw new Error(result.refusal.message);
  return result.value;
}

test("the fee of a token's transfer is converted at the quote's own prices", () => {
  // 65,000 gas at 20 gwei are 0.0013 ETH: at 3,000 dollars 3.90 dollars, at 0.975 a USDT 4.00 USDT.
  const fees = feesOf({ units: 65_000n * 20_000_000_000n });
  const table = pricesOf({ ETH: decimal("3000"), USDT: decimal("0.975") });
  const { terms, networkFee } = applied(wayTo("usdt-ethereum"), fees, table);
  expect(terms.fees.deliveryFixed).toBe(4_000_000n);
  expect(networkFee).toMatchObject({ coin: "ETH", amount: "0.0013", dollars: "3000" });
});

test("a network's own coin needs no conversion, whatever its price", () => {
  const fees = feesOf({ units: 21_000n * 20_000_000_000n });
  for (const price of ["3000", "0.0007", "123456.789"]) {
    const { terms } = applied(wayTo("eth"), fees, pricesOf({ ETH: decimal(price) }));
    // 0.00042 ETH in steps of 8 decimals.
    expect(terms.fees.deliveryFixed).toBe(42_000n);
  }
});

test("the fee is rounded once, to the nearest step", () => {
  const table = pricesOf({ ETH: decimal("3000") });
  const stepsAt = (units: bigint): bigint =>
    applied(wayTo("eth"), feesOf({ units }), table).terms.fees.deliveryFixed;
  expect([stepsAt(4_999_999_999n), stepsAt(5_000_000_000n), stepsAt(15_000_000_000n)]).toEqual([
    0n,
    1n,
    2n,
  ]);
});

test("the conversion agrees with another library, for any fee and prices", () => {
  const price = fc.record({
    units: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    scale: fc.nat({ max: 8 }),
  });
  fc.assert(
    fc.property(
      fc.nat(),
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.tuple(price, price),
      (way, units, [coinPrice, receivePrice]) => {
        const terms = found(ways[way % ways.length]);
        const coin = coinOf("eth");
        const table = pricesOf({ [terms.receive.code]: receivePrice, ETH: coinPrice });
        const own = found(table.price(terms.receive.code));
        const { terms: priced } = applied(terms, feesOf({ coin, units }), table);
        const steps = new Big(String(units))
          .times(formatDecimal(coinPrice))
          .times(new Big(10).pow(terms.receive.publishedDecimals));
        const divisor = new Big(10).pow(coin.decimals).times(formatDecimal(own));
        // Compared without a division: |steps − result × divisor| is at most half a divisor.
        const rest = steps.minus(divisor.times(String(priced.fees.deliveryFixed))).times(2);
        expect(rest.lt(divisor) && rest.gte(divisor.times(-1))).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a quote with a network fee keeps its identity, and its inverse spends the least, to the last unit", () => {
  let priced = 0;
  fc.assert(
    fc.property(
      fc.nat(),
      fc.bigInt({ min: 0n, max: 5n * 10n ** 16n }),
      fc.integer({ min: 1, max: 100 }),
      (way, units, part) => {
        const bare = found(ways[way % ways.length]);
        const table = pricesOf({ ETH: decimal("3000.17"), BTC: decimal("96000.5") });
        const { terms } = applied(bare, feesOf({ units }), table);
        const { min, max } = terms.limits;
        const step = 10n ** BigInt(terms.spend.decimals - terms.spend.publishedDecimals);
        const spent = min.units + ((((max.units - min.units) / 100n) * BigInt(part)) / step) * step;
        if (max.units < min.units) return;
        const size = spending({ asset: terms.spend, units: spent });
        const rates = ratesFor(table, terms, size);
        if (!rates.ok) throw new Error(rates.refusal.message);
        const quote = priceExchange(terms, size, rates.value);
        if (!quote.ok) {
          expect(quote.refusal.code).toBe("AMOUNT_ABOVE_MAXIMUM");
          return;
        }
        priced += 1;
        const { spend, receive, transactionFee, deliveryFee, rate } = quote.value;
        const gross = new Big(formatDecimal(toDecimal(spend)))
          .times(formatDecimal(rate))
          .round(terms.receive.publishedDecimals, Big.roundDown);
        const parts = [receive, transactionFee, deliveryFee].map((one) =>
          formatDecimal(toDecimal(one)),
        );
        expect(parts.reduce((sum, one) => sum.minus(one), gross).eq(0)).toBe(true);
        // Four times the fees are the least, so most of any amount arrives.
        expect(receive.units * 2n > deliveryFee.units + transactionFee.units).toBe(true);
        const inverse = priceExchange(terms, receiving(receive), rates.value);
        if (!inverse.ok) throw new Error(inverse.refusal.message);
        expect(inverse.value.receive.units).toBe(receive.units);
        expect(inverse.value.spend.units <= spend.units).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(priced).toBeGreaterThan(2_000);
});

test("the least exchange rises with the fee, and says so", () => {
  const bare = wayTo("usdc-ethereum");
  const table = pricesOf({ ETH: decimal("3000"), EUR: decimal("1.2") });
  const cheap = applied(bare, feesOf({ units: 10n ** 12n }), table).terms.limits;
  expect(cheap).toEqual(bare.limits);
  // 0.01 ETH are 30 dollars, 25 EUR. Four times that and the fixed fee of a card is above 100 EUR.
  const { limits } = applied(bare, feesOf({ units: 10n ** 16n }), table).terms;
  expect(formatDecimal(toDecimal(limits.min))).toBe("110");
  expect(limits.minBoundBy).toBe("fees");
});

test("no price of the fee's coin, and no fee, refuse the quote", () => {
  const table = pricesOf({ ETH: undefined });
  expect(withNetworkFee(wayTo("usdt-ethereum"), feesOf(), table)).toMatchObject({
    ok: false,
    refusal: {
      code: "LIQUIDITY_UNAVAILABLE",
      message: expect.stringContaining("ETH has no price"),
    },
  });
  const unknown: NetworkFees = { feeOf: () => ({ refusal: "not known" }) };
  expect(withNetworkFee(wayTo("eth"), unknown, pricesOf({}))).toMatchObject({
    ok: false,
    refusal: { code: "LIQUIDITY_UNAVAILABLE", message: "not known" },
  });
});

test("a flat fee leaves the terms as the catalogue has them", () => {
  const terms = wayTo("eth");
  expect(withNetworkFee(terms, { feeOf: () => "flat" }, pricesOf({}))).toEqual({
    ok: true,
    value: { terms },
  });
});

const POLICY = { freshMs: 120_000, surcharge: 0n, max: undefined, fallback: undefined };
const FALLBACK = { rate: 50n, forMs: 600_000 };

test.each([
  ["fresh", 120_000, POLICY, { units: 210_000n, kind: "market" }],
  ["stale, without a fallback", 120_001, POLICY, { refusal: /not known/ }],
  ["stale", 120_001, { ...POLICY, fallback: FALLBACK }, { units: 1_050_000n, kind: "fallback" }],
  ["at the fallback's end", 720_000, { ...POLICY, fallback: FALLBACK }, { kind: "fallback" }],
  ["beyond it", 720_001, { ...POLICY, fallback: FALLBACK }, { refusal: /not known/ }],
  ["with a surcharge", 0, { ...POLICY, surcharge: 5n }, { units: 210_005n }],
  ["at the maximum", 0, { ...POLICY, max: 210_000n }, { units: 210_000n }],
  ["above the maximum", 0, { ...POLICY, max: 209_999n }, { refusal: /too dear/ }],
] as const)("a rate that is %s", (_what, ageMs, policy, expected) => {
  const transfer = { network: { code: "ethereum", name: "Ethereum" }, coin: coinOf("eth") };
  const measured = { rate: 10n, measuredAt: AT, ageMs };
  const fee = feeOfTransfer({ ...transfer, work: 21_000n }, measured, policy);
  if ("refusal" in expected) {
    expect(fee).toEqual({ refusal: expect.stringMatching(expected.refusal) });
  } else {
    expect(fee).toMatchObject(expected);
  }
});

test("a network that was never measured has no fee, with or without a fallback", () => {
  const transfer = { network: { code: "ethereum", name: "Ethereum" }, coin: coinOf("eth") };
  for (const policy of [POLICY, { ...POLICY, fallback: FALLBACK }]) {
    const fee = feeOfTransfer({ ...transfer, work: 21_000n }, undefined, policy);
    expect(fee).toEqual({ refusal: expect.stringContaining("Ethereum is not known") });
  }
});

describe("a network whose tokens have a rate of their own", () => {
  const network = { code: "solana", name: "Solana" };
  const token = () => ({
    network,
    coin: coinOf("sol"),
    work: 1n,
    bytes: 293n,
    isToken: true as const,
  });
  const rates = { rate: 5_001n, tokenRate: 5_080n, byteRate: 6_960n };
  const measured = { ...rates, measuredAt: AT, ageMs: 5 };

  test("takes that one and the bytes of a new account for a token, and says so", () => {
    expect(feeOfTransfer(token(), measured, POLICY)).toMatchObject({
      ...{ units: 2_044_360n, rate: 5_080n, work: 1n, bytes: 293n, byteRate: 6_960n },
    });
    const { isToken: _, bytes: __, ...own } = token();
    expect(feeOfTransfer(own, measured, POLICY)).toMatchObject({ units: 5_001n, rate: 5_001n });
  });

  test("refuses a rate of tokens that is not signed, whatever the bytes cost", () => {
    const policy = { ...POLICY, max: undefined };
    expect(feeOfTransfer(token(), measured, { ...policy, rateMax: 5_079n })).toEqual({
      refusal: expect.stringContaining("Solana is too dear"),
    });
    expect(feeOfTransfer(token(), measured, { ...policy, rateMax: 5_080n })).toMatchObject({
      units: 2_044_360n,
    });
  });

  test("takes the fallback's own rate of tokens while the measurement is stale", () => {
    const fallback = { rate: 5_500n, tokenRate: 45_000n, forMs: 1_000 };
    const policy = { ...POLICY, fallback };
    const stale = { ...measured, ageMs: POLICY.freshMs + 1 };
    expect(feeOfTransfer(token(), stale, policy)).toMatchObject({
      ...{ units: 45_000n + 293n * 6_960n, rate: 45_000n, kind: "fallback" },
    });
    const { isToken: _, bytes: __, ...own } = token();
    expect(feeOfTransfer(own, stale, policy)).toMatchObject({ units: 5_500n, kind: "fallback" });
  });

  test("quotes no token while its rate was never measured", () => {
    const { tokenRate: _, ...without } = measured;
    expect(feeOfTransfer(token(), without, POLICY)).toEqual({
      refusal: expect.stringContaining("Solana is not known"),
    });
  });
});

describe("a network that charges bytes beside the work", () => {
  const network = { code: "tron", name: "Tron" };
  const measured = { rate: 100n, byteRate: 1_000n, measuredAt: AT, ageMs: 5 };

  const feeOf = (
    work: { readonly work: bigint; readonly bytes?: bigint },
    rate: AgedRate,
    policy: FeePolicy,
  ) => feeOfTransfer({ network, coin: coinOf("trx"), ...work }, rate, policy);

  test("takes both, and says so", () => {
    const fee = feeOf({ work: 131_000n, bytes: 400n }, measured, POLICY);
    expect(fee).toMatchObject({ units: 13_500_000n, rate: 100n, bytes: 400n, byteRate: 1_000n });
    const ofCoins = feeOf({ work: 0n, bytes: 1_500n }, measured, POLICY);
    expect(ofCoins).toMatchObject({ units: 1_500_000n });
  });

  test("takes its last price of a byte with a fallback, and none while it has no price", () => {
    const policy = { ...POLICY, fallback: { rate: 250n, forMs: 1_000_000 } };
    const stale = { ...measured, ageMs: POLICY.freshMs + 1 };
    expect(feeOf({ work: 131_000n, bytes: 400n }, stale, policy)).toMatchObject({
      units: 131_000n * 250n + 400_000n,
      kind: "fallback",
    });
    const { byteRate: _, ...without } = measured;
    expect(feeOf({ work: 131_000n, bytes: 400n }, without, POLICY)).toEqual({
      refusal: expect.stringContaining("Tron is not known"),
    });
  });

  test("refuses a rate that is not signed for work, but not for bytes alone", () => {
    const policy = { ...POLICY, max: undefined, rateMax: 99n };
    expect(feeOf({ work: 1n, bytes: 400n }, measured, policy)).toEqual({
      refusal: expect.stringContaining("Tron is too dear"),
    });
    expect(feeOf({ work: 0n, bytes: 400n }, measured, policy)).toMatchObject({ units: 400_000n });
    expect(feeOf({ work: 1n }, measured, { ...policy, rateMax: 100n })).toMatchObject({
      units: 100n,
    });
  });
});
