import type { Network } from "../../domain/catalogue/network.ts";
import type { ChainProblem } from "./endpoint-choices.ts";
import { WITHOUT_HOT } from "./signer-choices.ts";

/**
 * The blocks after which a payout completes its order, its own included. Only we can replace a payout, and its bytes are
 * sent again if its block is dropped. So these are the depths of ordinary reorganisations, not of final blocks.
 */
const DEPTHS: Readonly<Record<string, number>> = {
  bitcoin: 1,
  litecoin: 2,
  ethereum: 4,
  base: 10,
  arbitrum: 10,
  optimism: 10,
  polygon: 10,
  bsc: 6,
  avalanche: 2,
};

/** The members of a live network that say when its payouts are paid, and when they are final. */
interface DepthChoices {
  readonly payoutDepth?: number;
  readonly finality?: { readonly tag?: "finalized" | "none"; readonly atLeast?: number };
  readonly hot?: object;
}

/** A network's own word comes later than the least number of blocks, so there only the word is the final depth. */
const finalDepthOf = (
  { finality = {} }: DepthChoices,
  network: Pick<Network, "confirmations">,
  { hasWord }: { readonly hasWord: boolean },
): number =>
  hasWord && finality.tag !== "none"
    ? Number.POSITIVE_INFINITY
    : (finality.atLeast ?? network.confirmations);

/** Returns the depth of a network's payouts. `hasWord`: the network itself says which blocks are final. */
export function payoutDepthOf(
  choices: DepthChoices,
  network: Pick<Network, "code" | "confirmations">,
  { hasWord }: { readonly hasWord: boolean },
): number {
  const { payoutDepth = DEPTHS[network.code] ?? network.confirmations } = choices;
  return Math.min(payoutDepth, finalDepthOf(choices, network, { hasWord }));
}

/** Returns the depth at which payouts are paid before they are final. Nothing where they wait until they are. */
export function earlyDepthOf(
  choices: DepthChoices,
  network: Pick<Network, "code" | "confirmations">,
  kind: { readonly hasWord: boolean },
): { readonly payoutDepth?: number } {
  const payoutDepth = payoutDepthOf(choices, network, kind);
  return payoutDepth < finalDepthOf(choices, network, kind) ? { payoutDepth } : {};
}

/** Returns the problems of a network's choice of the depth. */
export function depthProblems(
  choices: DepthChoices,
  network: Pick<Network, "confirmations"> | undefined,
  { hasWord }: { readonly hasWord: boolean },
): readonly ChainProblem[] {
  const { payoutDepth, hot } = choices;
  if (payoutDepth === undefined) return [];
  const path = ".payoutDepth";
  if (hot === undefined) return [{ path, sentence: WITHOUT_HOT }];
  const most = network ? finalDepthOf(choices, network, { hasWord }) : Number.POSITIVE_INFINITY;
  if (payoutDepth <= most) return [];
  return [{ path, sentence: `A block is final after ${most} blocks. Use ${most} or fewer.` }];
}
