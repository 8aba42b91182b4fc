import { type TSchema, Type } from "@sinclair/typebox";
import type { HttpClient } from "../../adapters/client.ts";
import { marketRates } from "../../adapters/market/market-rates.ts";
import {
  type ChoiceProblem,
  configureMarket,
  type MarketChoices,
  type MarketContext,
  marketProblems,
  marketSchema,
} from "../../adapters/market/options.ts";
import { REFERENCES, VENUES } from "../../adapters/providers.ts";
import type { RateSource } from "../../domain/ports/rate-source.ts";
import { followMarket } from "../../sandbox/rates/follow-market.ts";
import { sandboxRates } from "../../sandbox/rates/rate-source.ts";

/** The parts that a provider is built from. */
interface PriceContext extends MarketContext {
  readonly client: HttpClient;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  readonly sandboxSeed: string;
}

/** A provider of prices: the form of its choices, where it may run, and how it is built. */
interface PriceProvider {
  readonly schema: TSchema;
  readonly environments: readonly MarketContext["environment"][];
  /** Says why it may not run elsewhere. */
  readonly refusal: string;
  /** Finds choices that are valid alone but not together. The choices have the form of the schema. */
  problems(choices: unknown, context: MarketContext): readonly ChoiceProblem[];
  build(choices: unknown, context: PriceContext): RateSource;
}

const PARTS = { venues: VENUES, references: REFERENCES };
const Market = marketSchema(PARTS);

interface SandboxChoices {
  readonly follow?: Omit<MarketChoices, "kind">;
}

const asMarket = (follow: SandboxChoices["follow"]): MarketChoices =>
  ({ ...follow, kind: "market" }) as MarketChoices;

const market: PriceProvider = {
  schema: Market,
  environments: ["dev", "staging", "prod"],
  refusal: "",
  problems: (choices, context) => marketProblems(choices as MarketChoices, PARTS, context),
  build: (choices, context) =>
    marketRates(configureMarket(choices as MarketChoices, PARTS, context), context),
};

const sandbox: PriceProvider = {
  schema: Type.Object(
    { kind: Type.Literal("sandbox"), follow: Type.Optional(Type.Omit(Market, ["kind"])) },
    { additionalProperties: false },
  ),
  environments: ["dev", "staging"],
  refusal: "The sandbox's prices are made up. Use the kind market.",
  problems: (choices, context) => {
    const { follow } = choices as SandboxChoices;
    if (follow === undefined) return [];
    if (context.environment !== "dev") {
      const sentence =
        "The sandbox follows the market only in dev. Use the kind market, or leave it out.";
      return [{ path: ".follow", sentence }];
    }
    return marketProblems(asMarket(follow), PARTS, context).map(({ path, sentence }) => ({
      path: `.follow${path}`,
      sentence,
    }));
  },
  build: (choices, context) => {
    const { follow } = choices as SandboxChoices;
    const own = sandboxRates({ seed: context.sandboxSeed });
    if (follow === undefined) return own;
    return followMarket(
      own,
      marketRates(configureMarket(asMarket(follow), PARTS, context), context),
    );
  },
};

/** The providers of prices by the kind that a rails file names. */
export const PRICE_PROVIDERS = { market, sandbox } as const satisfies Readonly<
  Record<string, PriceProvider>
>;
