// The arguments of `npm start`, and the settings that do not go with them.

const USAGE = "`npm start` takes one option: --chains local. It runs test chains on this machine.";

/** Settings that `--chains local` decides itself, each with its reason. */
const OWN_SETTINGS = {
  DATABASE_URL: "the chain and its database are kept together, in the data folder",
  EXCHANGE_RAILS_FILE: "it writes a rails file of its own",
};

/**
 * Returns whether the service runs on local chains. Throws a sentence for any other argument, and for settings that
 * local chains cannot go with.
 */
export function readArguments(words, variables) {
  const value = chainsOf(words);
  if (value === undefined) return { hasLocalChains: false };
  if (value !== "local") {
    throw new Error(`--chains must be local, not ${JSON.stringify(value)}. ${USAGE}`);
  }
  const environment = variables["EXCHANGE_ENV"] || "dev";
  if (environment !== "dev") {
    throw new Error(
      `--chains local is for dev, and EXCHANGE_ENV is ${environment}. Unset EXCHANGE_ENV, or name ` +
        "real networks in EXCHANGE_RAILS_FILE (docs/operating/chains.md).",
    );
  }
  for (const [name, reason] of Object.entries(OWN_SETTINGS)) {
    if (variables[name]) {
      throw new Error(`--chains local cannot use ${name}: ${reason}. Unset ${name}.`);
    }
  }
  return { hasLocalChains: true };
}

function chainsOf(words) {
  const [first, value, ...others] = words.flatMap((word) =>
    word.startsWith("--chains=") ? ["--chains", word.slice("--chains=".length)] : [word],
  );
  if (first === undefined) return undefined;
  const unknown = first === "--chains" ? others[0] : first;
  if (unknown !== undefined) throw new Error(`There is no argument ${unknown}. ${USAGE}`);
  return value ?? "";
}

/** Returns the port of the local node. */
export function readNodePort(variables) {
  const text = variables["ANVIL_PORT"] || "8545";
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(
    `ANVIL_PORT must be a whole number from 0 to 65535, not ${JSON.stringify(text)}.`,
  );
}
