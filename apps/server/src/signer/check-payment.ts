import { requireEvmAddress } from "./evm-transaction.ts";
import { requireWithinLimits } from "./limits.ts";
import type { CheckAnswer, CheckRequest } from "./protocol.ts";
import { readRelease, requireFresh, requirePayingWallet } from "./release-rules.ts";
import { requireSolanaPayee } from "./sign-solana.ts";
import { SignRefusal } from "./signer-error.ts";
import { requirePayee, type SignerParts } from "./signing.ts";
import { requireTronAddress } from "./tron-transaction.ts";
import { xrpPaymentOf } from "./xrp-transaction.ts";

/**
 * Checks a payment before it has a place. A payment that is refused here never takes one, so no other waits for it.
 * It signs nothing, and the answer promises nothing: the payment is checked again when it is signed.
 */
export function check(parts: SignerParts, { release: signed }: CheckRequest): CheckAnswer {
  const { policy, wallets, history, now } = parts;
  const payment = readRelease(signed, policy);
  const { release } = payment;
  if (release.place.kind !== "any") {
    throw new SignRefusal("place", "A payment is checked at any place, and signed at one.");
  }
  const network = policy.networks[release.network];
  if (network?.kind === "evm") {
    requirePayingWallet(wallets.evm(release.wallet));
    requireEvmAddress(release.address);
  }
  if (network?.kind === "tron") requireTronAddress(release.address);
  if (network?.kind === "solana") requireSolanaPayee(payment, parts);
  else requirePayee(payment, parts);
  if (network?.kind === "xrp") {
    wallets.xrp(release.wallet);
    requirePayee(payment, parts, xrpPaymentOf(release).to);
  }
  requireFresh(payment, policy, now());
  const [earlier] = history.ofIntent(release.intent);
  if (earlier) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${release.intent} is signed in ${earlier.hash}, and both could be mined. If that one is dead, refund ` +
        "the order or pay it under another intent.",
    );
  }
  requireWithinLimits([payment], { policy, history, now: now() });
  return { isAllowed: true };
}
