import { simulation, storage, unit } from "./suites.mjs";

const ARITHMETIC = unit("apps/server/src/flows/quotes/arithmetic.test.ts");
const MIGRATIONS = "apps/server/src/storage/migrations";

/** Defects of prices, quotes and books. */
export const MONEY_DEFECTS = [
  {
    name: "float arithmetic in a price",
    file: "apps/server/src/domain/quotes/price.ts",
    find: `  (spendSteps * rate.units * powerOfTen(receive.publishedDecimals)) /
  powerOfTen(spend.publishedDecimals + rate.scale);`,
    replace: `  BigInt(
    Math.floor(
      (Number(spendSteps) * Number(rate.units) * 10 ** receive.publishedDecimals) /
        10 ** (spend.publishedDecimals + rate.scale),
    ),
  );`,
    tests: ARITHMETIC,
  },
  {
    name: "the amount to spend is rounded the wrong way",
    file: "apps/server/src/domain/quotes/price.ts",
    find: `    rate.units * powerOfTen(receive.publishedDecimals),
    "up",`,
    replace: `    rate.units * powerOfTen(receive.publishedDecimals),
    "down",`,
    tests: unit("apps/server/src/flows/orders/quote-order.test.ts"),
  },
  {
    name: "the rate is rounded in the customer's favour",
    file: "apps/server/src/domain/quotes/rates.ts",
    find: `{ digits: RATE_SIGNIFICANT_DIGITS_MAX, rounding: "down" }`,
    replace: `{ digits: RATE_SIGNIFICANT_DIGITS_MAX, rounding: "up" }`,
    tests: unit("apps/server/src/domain/quotes/rates.test.ts"),
  },
  {
    name: "spend and receive swapped in the rate",
    file: "apps/server/src/domain/quotes/rates.ts",
    find: "  const numerator = prices.spend.units * powerOfTen(prices.receive.scale);",
    replace: "  const numerator = prices.receive.units * powerOfTen(prices.spend.scale);",
    tests: ARITHMETIC,
  },
  {
    name: "a quote is checked, then used",
    file: "apps/server/src/storage/orders/place.ts",
    find: "coalesce(q.consumed_by_order_id, 0) = 0 and q.expires_at",
    replace: "q.expires_at",
    tests: simulation("races", "one quote"),
  },
  {
    name: "an expired quote is used",
    file: "apps/server/src/storage/orders/place.ts",
    find: " and q.expires_at > business_now()",
    replace: "",
    tests: simulation("models", "sessions and quotes"),
  },
  {
    name: "no unique constraint on an order's session",
    file: `${MIGRATIONS}/0003_orders.sql`,
    find: "  unique (merchant_id, session_id),\n",
    replace: "",
    tests: storage("apps/server/src/storage/orders/once.storage.test.ts"),
  },
  {
    name: "an ended session takes another order",
    file: "apps/server/src/storage/orders/place.ts",
    find: "and s.status = 'active' and s.token_jti",
    replace: "and s.token_jti",
    tests: simulation("races", "of tabs"),
  },
  {
    name: "a replaced token places an order",
    file: "apps/server/src/storage/orders/place.ts",
    find: " and s.token_jti = wanted.token_jti",
    replace: "",
    tests: simulation("models", "sessions and quotes"),
  },
  {
    name: "an entry need not balance",
    file: `${MIGRATIONS}/0009_all_operations.sql`,
    find: "  if lines < 2 or total <> 0 then",
    replace: "  if lines < 2 then",
    tests: simulation("models", "the ledger"),
  },
  {
    name: "what is held for an order can be used twice",
    file: `${MIGRATIONS}/0009_all_operations.sql`,
    find: "  if overdrawn is not null then",
    replace: "  if false then",
    tests: simulation("models", "the ledger"),
  },
  {
    name: "a deadlock is not tried again",
    file: "apps/server/src/storage/postgres/transaction.ts",
    find: `new Set(["40001", "40P01"])`,
    replace: `new Set(["40001"])`,
    tests: simulation("races", "opposite order"),
  },
];
