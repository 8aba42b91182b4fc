import { requireNoOther, requireUsableTerms } from "./deadline-rules.ts";
import { requireFeeWithinCap } from "./limits.ts";
import type { SignedAnswer, SweepTronRequest } from "./protocol.ts";
import { listedAsset } from "./release-rules.ts";
import { FIXED_FEE } from "./sign-tron.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerOwn, type SignerParts } from "./signing.ts";
import { requireTopUp } from "./top-up-rule.ts";
import { buildTron } from "./tron-transaction.ts";

/**
 * Moves coins of a deposit address to a wallet of one address, or brings TRX for the fee of that. No release is needed: the
 * coins stay ours. Nothing excludes a second transaction, which would move the rest, and the fees of a day are capped.
 */
export function sweepTron(parts: SignerParts, request: SweepTronRequest): SignedAnswer {
  const { policy, wallets, now } = parts;
  const from = wallets.tron(request.from);
  const to = wallets.tron(request.to);
  const asset = listedAsset(policy, request.asset, from.networkCode);
  const contract = asset.contract ?? null;
  const units = BigInt(request.units);
  if (from.networkCode !== to.networkCode) {
    throw new SignRefusal("network", `${from.name} and ${to.name} are on different networks.`);
  }
  const { terms } = request;
  const unsigned = buildTron(from, { to: to.address, contract, units }, terms);
  return answerOwn(parts, { kind: "sweep", account: from, digest: unsigned.hash }, () => {
    // A sweep leaves a deposit address for a wallet of one address. Any other move is a top-up.
    if (!from.isDeposit || to.isDeposit) requireTopUp({ from, to }, { contract, units });
    requireUsableTerms(terms, from.network, now());
    requireNoOther(unsigned.hash, parts);
    const fee = BigInt(terms.feeLimit) + FIXED_FEE;
    requireFeeWithinCap(fee, from.network);
    return {
      places: [],
      expiresAt: terms.expiration,
      sweep: { to: to.address, asset: request.asset, units: request.units },
      prices: [BigInt(terms.feeLimit)],
      fee,
      sign: unsigned.sign,
    };
  });
}
