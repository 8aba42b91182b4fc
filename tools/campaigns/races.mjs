import { simulationCampaign } from "./simulation.mjs";

export const campaign = simulationCampaign("races", ["races", "order-races"]);
