import { placeOfCoins } from "../domain/payouts/release-text.ts";
import { requireLessChange, requireOwnCoins } from "./coin-rules.ts";
import { buildCoins, coinsOf } from "./coin-transaction.ts";
import { requireFeeWithinCap, requireWithinLimits } from "./limits.ts";
import { requireOnePayment, requireRaisedFee } from "./place-rules.ts";
import type { PayCoinsRequest, SignedAnswer } from "./protocol.ts";
import { isApproved, type ReleasedPayment, readRelease } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerPayment, loggedPayment, requirePayee, type SignerParts } from "./signing.ts";

/** Signs released payments that coins of one wallet pay together. */
export function payCoins(parts: SignerParts, { releases, plan }: PayCoinsRequest): SignedAnswer {
  const { policy, wallets, history, now } = parts;
  const payments = releases.map((signed) => readRelease(signed, policy));
  const first = requireOneBatch(payments, coinsOf(plan));
  const wallet = wallets.coins(first.wallet);
  for (const payment of payments) requirePayee(payment, parts);
  const unsigned = buildCoins(
    wallet,
    payments.map(({ release }) => release),
    plan,
  );
  return answerPayment(parts, { digest: unsigned.digest, payments }, () => {
    requireFeeWithinCap(unsigned.fee, wallet.network, `The fee is ${unsigned.fee}`);
    const spender = { places: unsigned.coins, hash: unsigned.hash };
    const versions = requireOwnCoins(spender, payments, parts);
    requireRaisedFee(unsigned.fee, versions, policy);
    if (!payments.every((payment) => isApproved(payment, policy))) {
      requireLessChange(unsigned, versions);
    }
    const counted = new Set(
      payments.filter((payment) => requireOnePayment(payment, spender, parts)),
    );
    if (counted.size > 0) requireWithinLimits([...counted], { policy, history, now: now() });
    return {
      network: first.network,
      account: wallet.name,
      places: unsigned.coins,
      payments: payments.map((payment) =>
        loggedPayment(payment, { isFirst: counted.has(payment) }),
      ),
      approvedBy: [...new Set(payments.flatMap(({ paymentApprovedBy }) => paymentApprovedBy))],
      prices: [unsigned.fee],
      fee: unsigned.fee,
      versions,
      sign: () => ({ hash: unsigned.hash, bytes: unsigned.sign() }),
    };
  });
}

/** Throws unless all releases are of one wallet and asset, released for exactly these coins, each intent once. */
function requireOneBatch(payments: readonly ReleasedPayment[], coins: readonly string[]) {
  const [first] = payments;
  if (first === undefined) throw new SignRefusal("release_mixed", "There is no release to sign.");
  const { wallet, asset, network } = first.release;
  const { digest } = placeOfCoins(coins);
  const intents = new Set<string>();
  for (const { release } of payments) {
    if (release.wallet !== wallet || release.asset !== asset) {
      throw new SignRefusal("release_mixed", "The releases are of different wallets or assets.");
    }
    if (intents.has(release.intent)) {
      throw new SignRefusal("release_mixed", `Intent ${release.intent} is in the batch twice.`);
    }
    intents.add(release.intent);
    if (release.place.kind !== "coins" || release.place.digest !== digest) {
      throw new SignRefusal(
        "place",
        `Intent ${release.intent} was released for other coins than the plan's.`,
      );
    }
  }
  return { wallet, network };
}
