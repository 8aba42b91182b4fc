import { findPrograms } from "../testing/programs.mjs";
import { simulationCampaign } from "./simulation.mjs";

/** The files of histories, by the words that the names of their cases begin with. */
const FILES = {
  history: "soak",
  "payout history": "payout-soak",
  "coin history": "coin-payout-soak",
  "tron history": "tron-payout-soak",
  coins: "coin-raise-soak",
  "solana history": "solana-soak",
};

/** Returns the files that have a case which `--only` chooses. A file without any would be a failure. */
export function filesOf(only) {
  const [chosen] = Object.entries(FILES).filter(([words]) => only?.startsWith(words));
  return chosen ? [chosen[1]] : Object.values(FILES);
}

/** Random histories of chains. Those of a node that is missing are left out. Those on Solana need no node. */
export const campaign = (options) => {
  const programs = findPrograms(["ANVIL_PATH", "LITECOIND_PATH"]);
  const found = programs.filter(({ path }) => path !== undefined);
  const variables = Object.fromEntries(found.map(({ variable, path }) => [variable, path]));
  const files = filesOf(options.only);
  return simulationCampaign("chains", files, { project: "chains", variables })(options);
};
