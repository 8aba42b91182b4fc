import { gasOfTransfer, makeEvmFeeMarket } from "../../adapters/chains/evm/fee-market.ts";
import { makeSolanaFeeMarket, workOfSolana } from "../../adapters/chains/solana/fees.ts";
import {
  energyPriceMaxOf,
  makeTronFeeMarket,
  workOfTransfer,
} from "../../adapters/chains/tron/fees.ts";
import { PAYOUT_SIZE } from "../../adapters/chains/utxo/coin-plan.ts";
import { makeCoinFeeMarket } from "../../adapters/chains/utxo/fees.ts";
import { makeXrpFeeMarket } from "../../adapters/chains/xrp/fees.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { FeeMarket } from "../../domain/ports/network-fees.ts";
import type { FeeBounds, FeePolicy, Transfer } from "../../domain/quotes/fee-rate.ts";
import { tokenFeeAtPriceOf } from "../../domain/wallets/solana-token-message.ts";
import type { ChainChoices, NetworkChoices } from "./chain-choices.ts";
import { feePolicyOf, hasFeeMarket } from "./fee-choices.ts";
import { feeLimitsOf, networkOf } from "./open-chains.ts";
import { coinEndpointsOf, coinLimitsOf } from "./open-coins.ts";
import { solanaEndpointsOf } from "./open-solana.ts";
import { xrpEndpointsOf, xrpFeeMaxOf } from "./open-xrp.ts";
import { solanaFeeMaxOf, solanaUnitPriceMinOf } from "./solana-choices.ts";
import { tronFeeMaxOf } from "./tron-choices.ts";

/** Returns the live networks whose quotes pay what the network's own market asks. */
export const pricedNetworksOf = (
  choices: ChainChoices,
): readonly (readonly [string, NetworkChoices])[] =>
  Object.entries(choices).filter(([, network]) => hasFeeMarket(network));

/**
 * Returns the work of delivering an asset. It is gas on EVM, virtual bytes on Bitcoin's family, energy and bytes on
 * Tron, and one transaction on other networks, with the bytes of a token account on Solana.
 */
export function workOf(
  { kind }: NetworkChoices,
  asset: Currency,
): Pick<Transfer, "work" | "bytes" | "isToken"> {
  if (kind === "evm") return { work: gasOfTransfer(asset) };
  if (kind === "tron") return workOfTransfer(asset);
  if (kind === "solana") return workOfSolana(asset);
  return { work: kind === "utxo" ? PAYOUT_SIZE : 1n };
}

/** Returns the choices about a network's fees. Without a hot wallet nothing is signed, so no fee is above a limit. */
export function policyOf(choices: NetworkChoices): FeePolicy {
  const policy = feePolicyOf(choices, choices.hot ? limitsOf(choices) : {});
  const { fallback } = policy;
  if (choices.kind !== "solana" || fallback === undefined) return policy;
  // The work of Solana is a transaction, and one of a token has more compute units.
  return { ...policy, fallback: { ...fallback, tokenRate: tokenFeeAtPriceOf(fallback.rate) } };
}

/** Returns the most that a transfer may cost. A transaction above it is not signed, so its payout would wait. */
function limitsOf(choices: NetworkChoices): FeeBounds {
  if (choices.kind === "evm") return { max: feeLimitsOf(choices).feeMax };
  // The rent of a token account is a part of the fee that no limit refuses.
  if (choices.kind === "solana") return { rateMax: solanaFeeMaxOf(choices) };
  if (choices.kind === "xrp") return { max: xrpFeeMaxOf(choices) };
  if (choices.kind === "tron") return { rateMax: energyPriceMaxOf(tronFeeMaxOf(choices)) };
  const { feeMax, rateMax } = coinLimitsOf(choices);
  return { max: feeMax, rateMax };
}

/** Opens the fee market of a network. Close it at the end. */
export function openFeeMarket(
  catalogue: Catalogue,
  code: string,
  {
    choices,
    suspect,
  }: {
    readonly choices: NetworkChoices;
    readonly suspect: (endpoint: string, what: string) => void;
  },
): FeeMarket {
  if (choices.kind === "utxo") {
    return makeCoinFeeMarket(
      coinEndpointsOf(catalogue, code, { choices, suspect }),
      coinLimitsOf(choices),
    );
  }
  if (choices.kind === "solana") {
    return makeSolanaFeeMarket({
      ...solanaEndpointsOf(catalogue, code, { choices, suspect }),
      unitPriceMin: solanaUnitPriceMinOf(choices),
    });
  }
  if (choices.kind === "xrp") return makeXrpFeeMarket(xrpEndpointsOf(code, { choices, suspect }));
  const endpoints = networkOf(catalogue, code, { choices, suspect });
  if (choices.kind === "tron") return makeTronFeeMarket(endpoints);
  return makeEvmFeeMarket({ ...endpoints, tipMin: feeLimitsOf(choices).tipMin });
}
