import { type Static, Type } from "@sinclair/typebox";
import { isLoopback } from "../client.ts";
import type { Policy } from "./entries.ts";
import type { MarketOptions } from "./market-rates.ts";
import { OFFICIAL_PEGS } from "./pegs.ts";
import { BOOK_AGE_MS_MAX, type ConfiguredVenue } from "./poll-venue.ts";
import type { ReferenceSource } from "./reference.ts";
import { parseMarket, type Venue } from "./venue.ts";
import { ANCHORS, pricedCode } from "./views.ts";

const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: "string", enum: values });
const basisPoints = (from: number, to: number) =>
  Type.Optional(Type.Integer({ minimum: from, maximum: to }));
const period = Type.Optional(Type.Integer({ minimum: 50, maximum: 60_000 }));
const strict = { additionalProperties: false };
const Url = Type.String({ pattern: "^https?://[^/?#@ ]+$" });

/** The registered adapters that a rails file may name. */
export interface MarketParts {
  readonly venues: Readonly<Record<string, Venue>>;
  readonly references: Readonly<Record<string, ReferenceSource>>;
}

/** Returns the form of the choices about market prices in the rails file. */
export const marketSchema = ({ venues, references }: MarketParts) =>
  Type.Object(
    {
      kind: Type.Literal("market"),
      venues: Type.Array(
        Type.Object(
          {
            kind: oneOf(Object.keys(venues)),
            url: Type.Optional(Url),
            markets: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 200 })),
            bestMilliseconds: period,
            bookMilliseconds: period,
          },
          strict,
        ),
        { minItems: 2 },
      ),
      reference: Type.Optional(
        Type.Object(
          {
            kind: oneOf(Object.keys(references)),
            url: Type.Optional(Url),
            markupBasisPoints: basisPoints(0, 1_000),
            guardBasisPoints: basisPoints(10, 1_000),
          },
          strict,
        ),
      ),
      pegs: Type.Optional(Type.Array(oneOf([...OFFICIAL_PEGS.keys()]))),
      pegMarkupBasisPoints: basisPoints(0, 1_000),
      quorum: Type.Optional(Type.Integer({ minimum: 2, maximum: 10 })),
      freshSeconds: Type.Optional(Type.Integer({ minimum: 2, maximum: 120 })),
      outlierBasisPoints: basisPoints(1, 1_000),
      wideBasisPoints: basisPoints(1, 1_000),
      jumpBasisPoints: basisPoints(10, 5_000),
      costBasisPointsMax: basisPoints(0, 2_000),
    },
    strict,
  );

export type MarketChoices = Static<ReturnType<typeof marketSchema>>;

const DEFAULTS = {
  quorum: 2,
  freshSeconds: 15,
  outlierBasisPoints: 100,
  wideBasisPoints: 200,
  jumpBasisPoints: 500,
  costBasisPointsMax: 300,
  pegMarkupBasisPoints: 50,
} as const;
const REFERENCE_MARKUP = 50;
const REFERENCE_GUARD = 200;

/** A problem of the rails file: the member and a sentence for the operator. */
export interface ChoiceProblem {
  readonly path: string;
  readonly sentence: string;
}

/** The facts about this installation that the choices of a market must fit. */
export interface MarketContext {
  readonly environment: "dev" | "staging" | "prod";
  /** The number of processes on this machine that each ask the venues. */
  readonly processes: number;
}

/** Finds the choices that are valid alone but not together. */
export function marketProblems(
  choices: MarketChoices,
  parts: MarketParts,
  context: MarketContext,
): readonly ChoiceProblem[] {
  const { venues } = choices;
  const quorum = choices.quorum ?? DEFAULTS.quorum;
  const problems: ChoiceProblem[] = [];
  if (quorum > venues.length) {
    const sentence = `The value is ${quorum}, and there are ${venues.length} venues. Add venues or lower it.`;
    problems.push({ path: ".quorum", sentence });
  }
  for (const [index, { kind, url, markets = [] }] of venues.entries()) {
    const path = `.venues[${index}]`;
    if (venues.findIndex((other) => other.kind === kind) < index) {
      const sentence = `${kind} is listed twice. A venue counts once, so list it once.`;
      problems.push({ path: `${path}.kind`, sentence });
    }
    problems.push(...urlProblems(`${path}.url`, url, context));
    for (const [position, text] of markets.entries()) {
      const sentence = marketProblem(text);
      if (sentence) problems.push({ path: `${path}.markets[${position}]`, sentence });
    }
  }
  problems.push(...urlProblems(".reference.url", choices.reference?.url, context));
  if (problems.length > 0) return problems;
  return roundProblems(configureMarket(choices, parts, context), context);
}

function urlProblems(
  path: string,
  url: string | undefined,
  { environment }: MarketContext,
): readonly ChoiceProblem[] {
  if (url === undefined || url.startsWith("https:")) return [];
  if (URL.canParse(url) && isLoopback(url) && environment !== "prod") return [];
  const accepted =
    environment === "prod"
      ? "Use an address that begins with https://."
      : "Use https://, or http:// with an address of this machine such as http://127.0.0.1:9000.";
  return [
    {
      path,
      sentence: `The value ${url} is plain HTTP, so anybody on the way can set prices. ${accepted}`,
    },
  ];
}

function marketProblem(text: string): string | undefined {
  const market = parseMarket(text);
  if (!market)
    return `The value ${text} is not a market. Write codes of the catalogue, as in BTC/USD.`;
  const anchors = ["USD", ...ANCHORS];
  const others = [market.base, market.quote].filter((code) => code !== pricedCode(market));
  if (others.every((code) => anchors.includes(code))) return undefined;
  return `The value ${text} is priced in a currency that has no price of its own first. Use a market against ${anchors.join(", ")}.`;
}

/** The rounds in which a venue is asked for all of its markets. */
interface Round {
  readonly of: "prices" | "order books";
  readonly member: "bestMilliseconds" | "bookMilliseconds";
  readonly atOnce: number;
  readonly everyMs: number;
  /** The age at which an answer is not used any more. */
  readonly ageMsMax: number;
}

/** A venue whose round takes longer than its answers are used could never speak for all of its markets. */
function roundProblems(
  { venues, policy }: MarketOptions,
  { processes }: MarketContext,
): readonly ChoiceProblem[] {
  return venues.flatMap(({ venue, markets, bestEveryMs, bookEveryMs }, index) => {
    const rounds: readonly Round[] = [
      {
        of: "prices",
        member: "bestMilliseconds",
        atOnce: venue.best.atOnce,
        everyMs: bestEveryMs,
        ageMsMax: policy.freshMs,
      },
      {
        of: "order books",
        member: "bookMilliseconds",
        atOnce: 1,
        everyMs: bookEveryMs,
        ageMsMax: BOOK_AGE_MS_MAX,
      },
    ];
    return rounds.flatMap((round) => {
      const sentence = roundProblem(round, { venue: venue.name, count: markets.length, processes });
      return sentence ? [{ path: `.venues[${index}].${round.member}`, sentence }] : [];
    });
  });
}

function roundProblem(
  { of, member, atOnce, everyMs, ageMsMax }: Round,
  load: { readonly venue: string; readonly count: number; readonly processes: number },
): string | undefined {
  const { venue, count, processes } = load;
  const requests = Math.ceil(count / atOnce);
  if (requests * everyMs < ageMsMax) return undefined;
  const countMax = Math.floor((ageMsMax - 1) / everyMs) * atOnce;
  const periodMax = Math.floor((ageMsMax - 1) / (requests * processes));
  const remedies = [
    ...(countMax > 0 ? [`list at most ${countMax} markets`] : []),
    `set ${member} to ${periodMax} at most if the venue allows it`,
    ...(of === "prices" ? ["raise freshSeconds"] : []),
    ...(processes > 1 ? ["run fewer processes"] : []),
  ];
  const by = processes > 1 ? `each of ${processes} processes` : "the service";
  return `Asking ${venue} for the ${of} of ${count} markets takes ${by} ${requests * everyMs} ms, and they are used for ${ageMsMax} ms. Do one of these: ${remedies.join("; ")}.`;
}

/** Returns the choices with their defaults and adapters. */
export function configureMarket(
  choices: MarketChoices,
  { venues, references }: MarketParts,
  { processes }: MarketContext,
): MarketOptions {
  const all = { ...DEFAULTS, ...choices };
  const { reference: chosen } = choices;
  const reference = chosen && references[chosen.kind];
  const policy: Policy = {
    quorum: all.quorum,
    freshMs: all.freshSeconds * 1000,
    outlierBasisPoints: all.outlierBasisPoints,
    wideBasisPoints: all.wideBasisPoints,
    jumpBasisPoints: all.jumpBasisPoints,
    costBasisPointsMax: all.costBasisPointsMax,
    pegs: new Set(choices.pegs),
    pegMarkupBasisPoints: all.pegMarkupBasisPoints,
    referenceMarkupBasisPoints: chosen?.markupBasisPoints ?? REFERENCE_MARKUP,
    referenceGuardBasisPoints: chosen?.guardBasisPoints ?? REFERENCE_GUARD,
  };
  return {
    policy,
    reference: reference && { ...reference, url: chosen?.url ?? reference.url },
    venues: choices.venues.flatMap((choice): readonly ConfiguredVenue[] => {
      const venue = venues[choice.kind];
      if (!venue) return [];
      return [
        {
          venue,
          url: choice.url ?? venue.url,
          markets: choice.markets?.flatMap((text) => parseMarket(text) ?? []) ?? venue.markets,
          // Venues limit requests for each IP address, and all processes of a machine share one.
          bestEveryMs: (choice.bestMilliseconds ?? venue.best.everyMs) * processes,
          bookEveryMs: (choice.bookMilliseconds ?? venue.book.everyMs) * processes,
        },
      ];
    }),
  };
}
