import { requireLessChange } from "./coin-rules.ts";
import { buildCoins } from "./coin-transaction.ts";
import type { History } from "./history.ts";
import { requireFeeWithinCap } from "./limits.ts";
import { requireRaisedFee } from "./place-rules.ts";
import type { ConsolidateCoinsRequest, SignedAnswer } from "./protocol.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerOwn, type SignerParts } from "./signing.ts";

/**
 * Signs a transaction that moves many coins of a wallet to one coin of its own change. It needs no release, because
 * it can cost no more than its fee, which the caps of each transaction and of the day bound.
 */
export function consolidateCoins(
  parts: SignerParts,
  { wallet: name, inputs, change }: ConsolidateCoinsRequest,
): SignedAnswer {
  const { policy, wallets, history } = parts;
  const wallet = wallets.coins(name);
  const unsigned = buildCoins(wallet, [], { inputs, change: { ...change, position: 0 } });
  const { digest } = unsigned;
  return answerOwn(parts, { kind: "consolidation", account: wallet, digest }, () => {
    const versions = requireUnsigned(unsigned.coins, history);
    requireRaisedFee(unsigned.fee, versions, policy);
    requireLessChange(unsigned, versions);
    requireFeeWithinCap(unsigned.fee, wallet.network, `The fee is ${unsigned.fee}`);
    return {
      places: unsigned.coins,
      prices: [unsigned.fee],
      fee: unsigned.fee,
      versions,
      sign: () => ({ hash: unsigned.hash, bytes: unsigned.sign() }),
    };
  });
}

/** Returns the earlier versions of a consolidation. Throws where a payment or a raise has one of its coins. */
function requireUnsigned(coins: readonly string[], history: History): readonly LoggedSignature[] {
  const signed = [...new Set(coins.flatMap((coin) => history.atPlace(coin)))];
  const other = signed.find(({ kind }) => kind !== "consolidation");
  if (other === undefined) return signed;
  throw new SignRefusal(
    "place_taken",
    `A coin of the consolidation is spent by ${other.hash}. If the database was restored, do not go on: ` +
      "compare it with the sign log first.",
  );
}
