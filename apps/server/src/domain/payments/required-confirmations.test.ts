import { parseDecimal } from "@exchange/money";
import { expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { buildCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { Network } from "../catalogue/network.ts";
import { type OrderCoins, requiredConfirmations } from "./required-confirmations.ts";

const decimal = (text: string) => found(parseDecimal(text));

/** A coin of two decimals, of which two are a euro. */
const coin = (id: number, changes: Partial<Currency> = {}): Currency => ({
  id,
  code: `C${id}`,
  decimals: 2,
  publishedDecimals: 2,
  reference: `c${id}`,
  kind: "crypto",
  name: "Coin",
  shortName: null,
  symbol: "C",
  networkCode: "chain",
  isDefaultNetwork: true,
  contractAddress: null,
  perEuro: decimal("2"),
  limits: { minEuro: null, maxEuro: null },
  enabled: true,
  ...changes,
});

function catalogueWith(large: Network["large"]): Catalogue {
  const network: Network = {
    code: "chain",
    name: "Chain",
    addressFormat: "bitcoin",
    memo: "none",
    confirmations: 2,
    large,
    explorerTransactionUrl: "https://explorer.example/{hash}",
    enabled: true,
  };
  return buildCatalogue({
    version: 1n,
    currencies: [coin(1), coin(2, { perEuro: decimal("0.001") })],
    networks: [network],
    paymentMethods: [],
    deliveryMethods: [],
    countries: [],
    pricingRules: [],
    priceChanges: [],
  });
}

const LARGE = { aboveEuro: decimal("1000"), confirmations: 6 };
type Seen = OrderCoins["deposits"][number];
const seen = (units: bigint, changes: Partial<Seen> = {}): Seen => ({
  assetId: 1,
  units,
  state: "seen",
  confirmationsRequired: null,
  ...changes,
});
/** 1,000 euro are 2,000 coins. */
const BOUNDARY = 200_000n;

const required = (
  units: bigint,
  deposits: readonly Seen[] = [],
  catalogue = catalogueWith(LARGE),
): number | undefined =>
  requiredConfirmations(catalogue, {
    instruction: { networkCode: "chain", assetId: 1, units },
    deposits,
  });

test("the amount itself needs the smaller number, and one unit more the larger one", () => {
  expect([required(BOUNDARY), required(BOUNDARY + 1n)]).toEqual([2, 6]);
  expect([required(1n, [seen(BOUNDARY)]), required(1n, [seen(BOUNDARY + 1n)])]).toEqual([2, 6]);
});

test("a large order needs the larger number for each of its deposits", () => {
  expect(required(BOUNDARY + 1n, [seen(1n)])).toBe(6);
});

test("many small deposits together need the number of a large one", () => {
  const half = seen(BOUNDARY / 2n);
  expect(required(1n, [half, half])).toBe(2);
  expect(required(1n, [half, half, seen(1n)])).toBe(6);
  expect(required(1n, [{ ...half, state: "final" }, half, seen(1n)])).toBe(6);
  // Dropped coins are not there.
  expect(required(1n, [{ ...half, state: "lost" }, half, seen(1n)])).toBe(2);
});

test("another asset at the address counts with its own value", () => {
  // One of this coin is 1,000 euro.
  expect(required(1n, [seen(100n, { assetId: 2 })])).toBe(2);
  expect(required(1n, [seen(101n, { assetId: 2 })])).toBe(6);
});

test("a number that was decided is never lowered, whatever the catalogue says later", () => {
  expect(required(1n, [seen(5n, { confirmationsRequired: 6 })], catalogueWith(null))).toBe(6);
  expect(required(1n, [seen(5n, { confirmationsRequired: 2 })])).toBe(2);
  expect(required(1n, [seen(BOUNDARY + 1n, { confirmationsRequired: 2 })])).toBe(6);
  const lost = seen(5n, { confirmationsRequired: 6, state: "lost" });
  expect(required(1n, [lost])).toBe(2);
});

test("a network without a larger number needs the same for every amount", () => {
  expect(required(BOUNDARY * 1_000n, [], catalogueWith(null))).toBe(2);
});

test("the larger number cannot be smaller than the usual one", () => {
  expect(required(BOUNDARY + 1n, [], catalogueWith({ ...LARGE, confirmations: 1 }))).toBe(2);
});

test("a bank account and an unknown network have no number", () => {
  const of = (networkCode: string | null) =>
    requiredConfirmations(catalogueWith(LARGE), {
      instruction: { networkCode, assetId: 1, units: 1n },
      deposits: [],
    });
  expect([of(null), of("nowhere")]).toEqual([undefined, undefined]);
});
