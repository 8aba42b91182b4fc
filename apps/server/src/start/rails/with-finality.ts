import { parseDecimal } from "@exchange/money";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ChainChoices } from "./chain-choices.ts";

/**
 * Returns the catalogue with the confirmations that the rails file chooses for its networks. The number that is shown
 * to a customer and the number that decides are then the same.
 */
export function withFinality(catalogue: Catalogue, choices: ChainChoices): Catalogue {
  if (Object.keys(choices).length === 0) return catalogue;
  const networks = catalogue.networks.map((network): Network => {
    const { atLeast = network.confirmations, large } = choices[network.code]?.finality ?? {};
    const aboveEuro = large && parseDecimal(large.aboveEuro);
    const chosen = aboveEuro && { aboveEuro, confirmations: large.atLeast };
    return { ...network, confirmations: atLeast, large: chosen ?? network.large };
  });
  return buildCatalogue({ ...catalogue, networks });
}
