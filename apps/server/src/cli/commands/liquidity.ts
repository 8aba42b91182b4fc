import { type ExactAmount, exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { Deps } from "../../flows/deps.ts";
import { setLiquidityLimit } from "../../flows/payouts/set-liquidity-limit.ts";
import { type LiquidityPosition, listPositions } from "../../storage/payouts/liquidity.ts";
import { type Command, UsageError } from "../command.ts";
import { AS, amountOrNone, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

export const liquidityShow: Command = {
  name: "liquidity show",
  summary: "Show our own position in each asset, and how far it may go into debt.",
  options: {},
  example: "liquidity show",
  run: (context) => withFlows(context, show),
};

export const liquiditySet: Command = {
  name: "liquidity set",
  summary: "Set how far our own position in an asset may go into debt.",
  options: {
    currency: {
      value: "REF",
      required: true,
      description: "The asset, such as btc, usdt-tron or eur.",
    },
    debt: {
      value: "AMOUNT",
      required: true,
      description:
        "The highest debt, in whole coins, or none. Debt is the amount paid out beyond the amount received.",
    },
    as: AS,
  },
  example: "liquidity set --currency btc --debt 2.5 --as anna",
  run: (context, input) => {
    const debt = amountOrNone(input, "debt");
    if (debt === undefined) throw new UsageError("--debt is missing.");
    return withFlows(context, async (deps) => {
      const currency = input.required("currency");
      await setLiquidityLimit(deps, { currency, debt, by: operatorOf(context, input) });
      return show(deps);
    });
  },
};

async function show(deps: Deps) {
  const positions = await listPositions(deps.database);
  const shown = positions.map((position) => showPosition(deps, position));
  const amountOf = (amount: ExactAmount | null): string => amount?.amount ?? "none";
  const rows = shown.map((one) => [
    one.currency,
    one.debt.amount,
    amountOf(one.limit),
    amountOf(one.left),
    one.setBy ?? "",
  ]);
  const overview = table([["ASSET", "DEBT", "LIMIT", "LEFT", "SET BY"], ...rows]);
  return { json: shown, text: [overview, ...unboundedWords(deps, positions)].join("\n") };
}

/** Names the assets that are in debt without a limit, since their books go below zero unnoticed. */
function unboundedWords(deps: Deps, positions: readonly LiquidityPosition[]): string[] {
  const references = positions
    .filter(({ debtUnits, limit }) => debtUnits > 0n && limit === undefined)
    .map(({ assetId }) => deps.catalogue().requireCurrency(assetId).reference);
  const [first] = references;
  if (first === undefined) return [];
  return [
    "",
    `No limit bounds the debt in ${references.join(", ")}.`,
    `To set one: exchange liquidity set --currency ${first} --debt AMOUNT --as NAME`,
  ];
}

function showPosition(deps: Deps, { assetId, debtUnits, limit }: LiquidityPosition) {
  const amount = (units: bigint) => exactAmount(deps.catalogue(), assetId, units);
  const debt = amount(debtUnits);
  return {
    currency: debt.currency,
    debt,
    limit: limit ? amount(limit.debtUnits) : null,
    left: limit ? amount(limit.debtUnits - debtUnits) : null,
    setBy: limit?.setBy ?? null,
  };
}
