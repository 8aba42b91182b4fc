import { findPrograms } from "../testing/programs.mjs";
import { simulationCampaign } from "./simulation.mjs";

/** Random histories of a real chain. Without its node the campaign runs no case, which is a failure. */
export const campaign = (options) => {
  const anvil = findPrograms(["ANVIL_PATH"]).find(({ path }) => path !== undefined);
  const variables = anvil ? { ANVIL_PATH: anvil.path } : {};
  return simulationCampaign("chains", ["soak"], { project: "chains", variables })(options);
};
