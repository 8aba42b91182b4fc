import type { Config } from "../../config.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { Deps } from "../../flows/deps.ts";
import { floatAmounts } from "../../flows/treasury/holdings.ts";
import { isLow, readTreasury, type TreasuryAsset } from "../../flows/treasury/overview.ts";
import { setTreasuryLimits } from "../../flows/treasury/set-limits.ts";
import { readChains } from "../../start/rails/open-chains.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { listCoinSizes } from "../../storage/treasury/coin-sizes.ts";
import { describeCoins, isCrowded, showCoins } from "../coins.ts";
import { type Command, type CommandOption, UsageError } from "../command.ts";
import { unread } from "../finding.ts";
import { describeGas, type NetworkGas, readGas } from "../gas.ts";
import { AS, amountOrNone, operatorOf } from "../operator-options.ts";
import { amountWords } from "../order-words.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

export const treasuryShow: Command = {
  name: "treasury show",
  summary:
    "Show the coins we have, the coins we promised, and which to refill or to take to cold storage.",
  options: {},
  example: "treasury show",
  run: (context) => withFlows(context, (deps) => show(deps, context.config())),
};

const limit = (description: string): CommandOption => ({ value: "AMOUNT", description });
const LIMITS = ["floor", "low", "target", "ceiling"] as const;

export const treasurySet: Command = {
  name: "treasury set",
  summary:
    "Set the float of an asset: when to stop quoting it, to warn, and to take coins to cold storage.",
  options: {
    currency: {
      value: "REF",
      required: true,
      description: "One coin on one network, such as btc or usdt-tron.",
    },
    floor: limit("Below it nobody is quoted the asset. In whole coins, or none."),
    low: limit("Below it the log and the doctor warn."),
    target: limit("The amount to refill to, and to come down to."),
    ceiling: limit("Above it coins belong into cold storage."),
    as: AS,
  },
  example: "treasury set --currency btc --floor 0.1 --low 0.3 --target 1 --ceiling 2 --as anna",
  run: (context, input) => {
    const [floor, low, target, ceiling] = LIMITS.map((name) => amountOrNone(input, name));
    if ([floor, low, target, ceiling].every((amount) => amount === undefined)) {
      throw new UsageError("Name at least one of --floor, --low, --target and --ceiling.");
    }
    return withFlows(context, async (deps) => {
      const by = operatorOf(context, input);
      const limits = { floor, low, target, ceiling };
      await setTreasuryLimits(deps, { currency: input.required("currency"), limits, by });
      return show(deps, context.config());
    });
  },
};

const HEAD = [
  ...["ASSET", "HOT", "PROMISED", "FREE", "FLOOR", "LOW", "TARGET", "CEILING", "OUT/DAY", "DO"],
];

async function show(deps: Pick<Deps, "database" | "catalogue">, config: Config) {
  const catalogue = deps.catalogue();
  const gas = await readGas(deps.database, catalogue, readChains(config, deps));
  const sizes = await listCoinSizes(deps.database);
  const treasury = await readTreasury(deps.database);
  const assets = treasury.map((asset) => {
    const own = gas.find(({ assetId }) => assetId === asset.assetId);
    const coins = sizes.find(({ assetId }) => assetId === asset.assetId);
    return {
      ...showAsset(deps, asset),
      ...(own && { gas: showGas(catalogue, own) }),
      ...(coins && { coins: showCoins(catalogue, coins) }),
    };
  });
  const rows = assets.map((one) => [
    one.currency,
    one.onHand,
    one.promised,
    one.free,
    one.floor ?? "-",
    one.low ?? "-",
    one.target ?? "-",
    one.ceiling ?? "-",
    one.outPerDay,
    one.advice,
  ]);
  const lines = gas.map((one) => {
    const { found, fix } = describeGas(catalogue, one);
    return `\nGas of ${one.networkCode}: ${found}.${fix === undefined ? "" : ` ${fix}`}`;
  });
  lines.push(...sizes.map((one) => describeCoins(catalogue, one)));
  lines.push(...describeFrozen(catalogue, treasury).map((words) => `\n${words}. ${THAW}`));
  if (rows.length > 0) {
    return { json: assets, text: [table([HEAD, ...rows]), ...lines].join("\n") };
  }
  const text =
    "The stock of every asset is unlimited: no network is live, and no asset has a limit.\nTo set one: exchange treasury set --currency btc --floor AMOUNT --as NAME";
  return { json: assets, text };
}

function showGas(catalogue: Catalogue, { assetId, hotUnits, floorUnits, tank }: NetworkGas) {
  const amount = (units: bigint): string => exactAmount(catalogue, assetId, units).amount;
  return {
    hot: amount(hotUnits),
    floor: amount(floorUnits),
    tank: tank
      ? { has: amount(tank.units), usedToday: amount(tank.usedUnits), cap: amount(tank.capUnits) }
      : null,
  };
}

function showAsset({ catalogue }: Pick<Deps, "catalogue">, asset: TreasuryAsset) {
  const { assetId } = asset;
  const amount = (units: bigint): string => exactAmount(catalogue(), assetId, units).amount;
  return {
    currency: catalogue().requireCurrency(assetId).reference,
    ...floatAmounts(catalogue(), asset),
    advice: adviceWords(asset, amount),
  };
}

/** Returns a sentence, without its stop, about each asset of which the issuer froze our stock. */
const describeFrozen = (catalogue: Catalogue, assets: readonly TreasuryAsset[]): string[] =>
  assets.flatMap(({ assetId, frozen }) => {
    if (frozen === null) return [];
    const { reference } = catalogue.requireCurrency(assetId);
    const { amount } = exactAmount(catalogue, assetId, frozen);
    return `${reference} is frozen by its issuer: none of the ${amount} in the hot wallet can be paid out`;
  });

const THAW =
  "Ask the issuer. After the thaw the asset is quoted again, and payouts that wait go on by themselves. Orders that are paid meanwhile wait in review with no_liquidity: release them after the thaw.";

function adviceWords({ advice }: TreasuryAsset, amount: (units: bigint) => string): string {
  switch (advice.kind) {
    case "refill":
      return `refill ${amount(advice.units)}`;
    case "take_to_cold":
      return `take ${amount(advice.units)} to cold storage`;
    case "nothing":
      return "-";
  }
}

/** Returns words about each asset whose float is low. */
const describeLow = (catalogue: Catalogue, assets: readonly TreasuryAsset[]): string[] =>
  assets.filter(isLow).map(({ assetId, position, float }) => {
    const free = exactAmount(catalogue, assetId, position.onHand - position.promised);
    const isBelow = float === "below_floor";
    const effect = isBelow ? ", which is below the floor: it is not quoted" : "";
    return `${amountWords(free)} left${effect}`;
  });

const REFILL = "Refill low floats. For the amounts run: exchange treasury show.";

/** The check of `exchange doctor`: no float is low or frozen. */
export async function examineTreasury(database: Database) {
  const check = "treasury";
  try {
    const catalogue = await readCatalogue(database);
    const assets = await readTreasury(database);
    const frozen = describeFrozen(catalogue, assets);
    const low = describeLow(catalogue, assets);
    if (frozen.length + low.length > 0) {
      const fix = [...(frozen.length > 0 ? [THAW] : []), ...(low.length > 0 ? [REFILL] : [])];
      return { check, ok: false, found: [...frozen, ...low].join("; "), fix: fix.join(" ") };
    }
    const crowded = (await listCoinSizes(database)).filter(isCrowded);
    if (crowded.length > 0) {
      const found = crowded
        .map(({ networkCode, count }) => `the hot wallet of ${networkCode} has ${count} coins`)
        .join("; ");
      const fix =
        "One transaction cannot spend them all. Give the network the member consolidate (docs/operating/treasury.md).";
      return { check, ok: false, found, fix };
    }
    return { check, ok: true, found: `${assets.length} assets with a bounded stock, none low` };
  } catch (error) {
    return unread(check, error);
  }
}
