import { hex } from "@scure/base";
import { buildCoins, type FeeAndSize, readSigned } from "./coin-transaction.ts";
import type { History } from "./history.ts";
import { requireFeeWithinCap } from "./limits.ts";
import type { RaiseCoinsRequest, SignedAnswer } from "./protocol.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerOwn, type SignerParts } from "./signing.ts";
import type { CoinWallet } from "./wallets.ts";

/**
 * Signs a transaction that moves our own change to our own change. Its fee pays for the transaction that made the
 * change too, where nodes refuse a replacement (docs/decisions/0067-raise-fees-of-coins.md).
 */
export function raiseCoins(
  parts: SignerParts,
  { wallet: name, coin, change }: RaiseCoinsRequest,
): SignedAnswer {
  const { wallets, history } = parts;
  const wallet = wallets.coins(name);
  const unsigned = buildCoins(wallet, [], {
    inputs: [{ ...coin, branch: 1 }],
    change: { ...change, position: 0 },
  });
  return answerOwn(parts, { kind: "raise", account: wallet, digest: unsigned.digest }, () => {
    const raised = requireOwnChange(wallet, coin, history);
    const other = unsigned.coins.flatMap((place) => history.atPlace(place)).at(0);
    if (other) {
      throw new SignRefusal("place_taken", `The change is spent by ${other.hash} already.`);
    }
    const unconfirmed = requireFewRaises(raised, parts);
    const fee = unsigned.fee + unconfirmed.fee;
    const stated = `The fees of the payment and its raises are ${fee}`;
    requireFeeWithinCap(fee, wallet.network, stated);
    return {
      places: unsigned.coins,
      prices: [unsigned.fee],
      fee: unsigned.fee,
      sign: () => ({ hash: unsigned.hash, bytes: unsigned.sign(unconfirmed) }),
    };
  });
}

/** Returns the transaction that made the change. Throws unless the log has it, with exactly this output. */
function requireOwnChange(
  wallet: CoinWallet,
  { transaction, output, units, index }: RaiseCoinsRequest["coin"],
  history: History,
): LoggedSignature {
  const made = history.byHash(transaction);
  const found = made && readSigned(made.bytes).outputs[output];
  const isOurs =
    made !== undefined &&
    found !== undefined &&
    made.account === wallet.name &&
    made.network === wallet.networkCode &&
    String(found.amount) === units &&
    hex.encode(found.script) === hex.encode(wallet.at(1, index).script);
  if (isOurs) return made;
  throw new SignRefusal(
    "coins",
    `${transaction}:${output} is not change of ${units} units of a transaction that was signed here.`,
  );
}

/** Returns the cost and size of the payment and of the raises after it. Throws if there were too many of them. */
function requireFewRaises(
  newest: LoggedSignature,
  { history, policy }: Pick<SignerParts, "history" | "policy">,
): FeeAndSize {
  const chain = [newest];
  for (let last = newest; last.kind === "raise"; ) {
    const earlier = history.byHash(last.places[0]?.split(":")[0] ?? "");
    if (!earlier) break;
    chain.push(earlier);
    last = earlier;
  }
  const raises = chain.filter(({ kind }) => kind === "raise").length;
  if (raises >= policy.replacementsMax) {
    throw new SignRefusal(
      "replacement",
      `The transaction was already raised ${raises} times, the policy's replacementsMax. Wait for a block, or raise the limit.`,
    );
  }
  return chain.reduce<FeeAndSize>(
    ({ fee, size }, one) => ({
      fee: fee + BigInt(one.fee),
      size: size + readSigned(one.bytes).size,
    }),
    { fee: 0n, size: 0 },
  );
}
