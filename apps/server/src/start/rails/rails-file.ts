import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject } from "ajv";
import type { MarketContext } from "../../adapters/market/options.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { StartError } from "../start-error.ts";
import { type ChainChoices, chainProblems } from "./chain-choices.ts";
import { PRICE_PROVIDERS } from "./price-providers.ts";
import { type SignerChoices, signerProblems } from "./signer-choices.ts";

/** A problem of the rails file. */
interface RailsProblem {
  /** The member, as in `prices.venues[1].url`. */
  readonly path: string;
  readonly sentence: string;
}

/** The choices of a rails file, one for each rail that it has. They were checked. */
export interface RailsFile {
  /** The networks that are followed on a real chain, by their code in the catalogue. */
  readonly chains?: ChainChoices;
  /** The signer of the payouts on live networks. */
  readonly signer?: SignerChoices;
  readonly prices?: { readonly kind: keyof typeof PRICE_PROVIDERS };
}

/** The facts about this installation that a rails file must fit. */
export interface RailsFileContext extends MarketContext {
  /** The networks that `chains` may name. Without it `chains` is not checked, and must not be used. */
  readonly catalogue?: Catalogue;
}

/** Compiles each schema once, because a start reads the file several times. It does not check our own schemas. */
const PROVIDER_SHAPES = new Ajv({ allErrors: true, meta: false, validateSchema: false });

/** The file that is shown to an operator who has none. */
export const RAILS_EXAMPLE = `{
  "prices": {
    "kind": "market",
    "venues": [{ "kind": "kraken" }, { "kind": "coinbase" }, { "kind": "bitstamp" }],
    "reference": { "kind": "ecb" }
  }
}`;

/** Reads the rails file. Throws a `StartError` that lists every problem with its place. */
export function readRailsFile(path: string, context: RailsFileContext): RailsFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `EXCHANGE_RAILS_FILE names ${path}, which cannot be read (${code}). Create the file, for example:\n${RAILS_EXAMPLE}`,
    );
  }
  const problems: RailsProblem[] = [];
  const rails = parseRails(text, context, problems);
  if (problems.length === 0) return rails;
  const lines = problems.map((one) => `  ${one.path}: ${one.sentence}`);
  throw new StartError(
    `The rails file ${path} has ${problems.length} problem(s):\n${lines.join("\n")}\ndocs/operating/prices.md has the members of prices, and docs/operating/chains.md says where those of each network are.`,
  );
}

function parseRails(text: string, context: RailsFileContext, problems: RailsProblem[]): RailsFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    problems.push({
      path: "the file",
      sentence: `It is not valid JSON: ${(error as Error).message}.`,
    });
    return {};
  }
  const names = ["prices", "signer", "chains"];
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    problems.push({ path: "the file", sentence: `Write an object with ${names.join(", ")}.` });
    return {};
  }
  for (const [name, choices] of Object.entries(content)) {
    if (name === "chains") {
      problems.push(...networkProblems(choices, { ...context, hasSigner: "signer" in content }));
    } else if (name === "signer") {
      problems.push(...signerProblems(choices));
    } else if (name === "prices") {
      problems.push(...priceProblems(choices, context));
    } else {
      problems.push({
        path: name,
        sentence: `There is no such rail. The rails are ${names.join(", ")}. Remove it or correct its name.`,
      });
    }
  }
  return content as RailsFile;
}

const networkProblems = (
  choices: unknown,
  { environment, hasSigner, catalogue }: RailsFileContext & { readonly hasSigner: boolean },
) =>
  catalogue
    ? chainProblems(choices, { environment, hasSigner, catalogue }).map(({ path, sentence }) => ({
        path: `chains${path}`,
        sentence,
      }))
    : [];

function priceProblems(choices: unknown, context: MarketContext): readonly RailsProblem[] {
  const kind = (choices as { readonly kind?: unknown } | null)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(PRICE_PROVIDERS, kind)) {
    const kinds = Object.keys(PRICE_PROVIDERS).join(", ");
    const sentence = `The value ${JSON.stringify(kind) ?? "is missing and"} is not a provider. Use one of ${kinds}.`;
    return [{ path: "prices.kind", sentence }];
  }
  const provider = PRICE_PROVIDERS[kind as keyof typeof PRICE_PROVIDERS];
  const problems: RailsProblem[] = [];
  if (!provider.environments.includes(context.environment)) {
    const sentence = `${kind} is refused when EXCHANGE_ENV is ${context.environment}. ${provider.refusal}`;
    problems.push({ path: "prices.kind", sentence });
  }
  const validate = PROVIDER_SHAPES.compile(provider.schema);
  if (!validate(choices)) {
    const faults = (validate.errors ?? []).map((error) => ({
      path: `prices${readablePath(error.instancePath)}`,
      sentence: `The value ${describe(error)}.`,
    }));
    return [...problems, ...faults];
  }
  const faults = provider.problems(choices, context);
  return [
    ...problems,
    ...faults.map(({ path, sentence }) => ({ path: `prices${path}`, sentence })),
  ];
}

/** Turns a JSON pointer such as "/venues/1/url" into ".venues[1].url". */
const readablePath = (pointer: string): string =>
  pointer.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");

function describe({ keyword, params, message = "is not valid" }: ErrorObject): string {
  if (keyword === "additionalProperties") {
    return `has a member that does not exist (${String(params["additionalProperty"])}); remove it or correct its spelling`;
  }
  if (keyword === "enum") {
    return `must be one of ${(params["allowedValues"] as string[]).join(", ")}`;
  }
  if (keyword === "pattern")
    return "must be an address without a path, such as https://api.example.com";
  return message;
}
