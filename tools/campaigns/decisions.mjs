import { simulationCampaign } from "./simulation.mjs";

export const campaign = simulationCampaign("decisions");
