import { makeHttpClient } from "../../adapters/client.ts";
import type { Config } from "../../config.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { RateSource } from "../../domain/ports/rate-source.ts";
import { PRICE_PROVIDERS } from "./price-providers.ts";
import { RAILS_EXAMPLE, readRailsFile } from "./rails-file.ts";

/** Says that there is no source of prices, and what to do. */
export const NO_PRICES = `No source of prices is configured, so every quote is refused. Set EXCHANGE_RAILS_FILE to a file such as\n${RAILS_EXAMPLE}\nand restart the service (docs/operating/prices.md).`;

/** Returns the number of processes on this machine that ask the venues. */
export const processesOf = ({ apiProcesses }: Pick<Config, "apiProcesses">): number =>
  apiProcesses > 1 ? apiProcesses + 1 : 1;

/** Reads the choices about prices. Throws a `StartError` that lists every problem of the rails file. */
function readChoices(config: Config, catalogue?: Catalogue) {
  const { environment, railsFile } = config;
  const place = { environment, processes: processesOf(config) };
  if (railsFile === undefined) return { place, choices: undefined };
  const rails = readRailsFile(railsFile, { ...place, ...(catalogue && { catalogue }) });
  return { place, choices: rails.prices };
}

interface RatesContext {
  readonly warn: (message: string) => void;
  /** Checks the other members of the file too. Absent where no database is open. */
  readonly catalogue?: () => Catalogue;
}

/** Checks the rails file. Returns where prices come from, in words. */
export function checkRates(config: Config): string | undefined {
  const { choices } = readChoices(config);
  if (choices) return `${choices.kind}, by ${config.railsFile}`;
  return config.environment === "prod" ? undefined : "sandbox";
}

/**
 * Opens the source of prices that the rails file chooses. Without a choice `dev` and `staging` have the sandbox's
 * prices, and `prod` has none. Throws a `StartError` that lists every problem of the file.
 */
export function openRates(
  config: Config,
  { warn, catalogue }: RatesContext,
): RateSource | undefined {
  const { place, choices } = readChoices(config, catalogue?.());
  const chosen =
    choices ?? (config.environment === "prod" ? undefined : { kind: "sandbox" as const });
  if (chosen === undefined) return undefined;
  // Tests must not depend on the world outside, nor load it.
  const reach = process.env["NODE_ENV"] === "test" ? "loopback" : "anywhere";
  const client = makeHttpClient({ reach });
  const { sandboxSeed } = config;
  const source = PRICE_PROVIDERS[chosen.kind].build(chosen, {
    ...place,
    client,
    now: Date.now,
    warn,
    sandboxSeed,
  });
  return {
    ...source,
    stop: async () => {
      await source.stop();
      await client.close();
    },
  };
}
