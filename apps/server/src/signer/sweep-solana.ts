import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { U64_MAX } from "../domain/wallets/solana-message.ts";
import {
  readSweep,
  type SolanaSweep,
  sweepFeeAt,
  writeSweep,
} from "../domain/wallets/solana-sweep.ts";
import { requireNoOther, requireUsableTerms } from "./deadline-rules.ts";
import { requireFeeWithinCap } from "./limits.ts";
import type { SignedAnswer, SweepSolanaRequest } from "./protocol.ts";
import { listedAsset } from "./release-rules.ts";
import { signMessage } from "./sign-solana.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerOwn, type SignerParts } from "./signing.ts";

/**
 * Moves SOL of a deposit address to a hot wallet of the policy, which pays the fee. No release is needed: the coins stay
 * ours. Nothing excludes a second transaction, which would move what is left or fail, and the fees of a day are capped.
 */
export function sweepSolana(parts: SignerParts, request: SweepSolanaRequest): SignedAnswer {
  const { policy, wallets, now } = parts;
  const from = wallets.solanaDeposit(request.from);
  const to = wallets.solana(request.to);
  if (from.networkCode !== to.networkCode) {
    throw new SignRefusal("network", `${from.name} and ${to.name} are on different networks.`);
  }
  const { contract } = listedAsset(policy, request.asset, from.networkCode);
  if (contract !== undefined) {
    throw new SignRefusal("unlisted", `${request.asset} is a token, and only SOL is swept.`);
  }
  const { terms } = request;
  const price = BigInt(terms.unitPrice);
  const message = buildSweep({
    ...{ base: from.address, seed: from.deposit.seed, to: to.address },
    ...{ units: BigInt(request.units), blockhash: terms.reference, unitPrice: price },
  });
  const digest = bytesToHex(sha256(message));
  return answerOwn(parts, { kind: "sweep", account: from, digest }, () => {
    // Signatures of Ed25519 are deterministic.
    const signed = signMessage([to, from], message);
    requireUsableTerms(terms, from.network, now());
    requireNoOther(signed.hash, parts);
    const fee = sweepFeeAt(price);
    requireFeeWithinCap(fee, from.network);
    return {
      places: [],
      expiresAt: terms.expiration,
      sweep: { to: to.address, asset: request.asset, units: request.units },
      prices: [price],
      fee,
      sign: () => signed,
    };
  });
}

/** Builds the message, reads its bytes again and compares them with the sweep. */
function buildSweep(sweep: SolanaSweep): Uint8Array {
  if (sweep.units > U64_MAX || sweep.unitPrice > U64_MAX) {
    throw new SignRefusal(
      "release_text",
      `The units and the unit price are each at most ${U64_MAX}.`,
    );
  }
  const message = writeSweep(sweep);
  const read = readSweep(message);
  const isSame =
    read.base === sweep.base &&
    read.seed === sweep.seed &&
    read.to === sweep.to &&
    read.units === sweep.units &&
    read.blockhash === sweep.blockhash &&
    read.unitPrice === sweep.unitPrice;
  if (isSame) return message;
  throw new Error("the encoded transaction does not say what was to be signed");
}
