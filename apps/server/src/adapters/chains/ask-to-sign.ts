import {
  OTHER_BYTES,
  type SignedRelease,
  SigningRefused,
} from "../../domain/ports/chain-sender.ts";
import type { OwnMove } from "../../domain/ports/chain-sweeper.ts";
import type { CheckAnswer, SignedAnswer } from "../../signer/protocol.ts";
import { askSigner, SignerRefused } from "./signer-client.ts";

/** Asks the signer. A refusal is an answer. A fault of the signer is none, like a signer that is away. */
export async function askToSign<Answer extends CheckAnswer | SignedAnswer>(
  socket: string,
  request: Parameters<typeof askSigner>[1],
): Promise<Answer> {
  try {
    return await askSigner<Answer>(socket, request);
  } catch (error) {
    if (!(error instanceof SignerRefused) || error.failure.code !== "REFUSED") throw error;
    throw new SigningRefused(error.failure.reason ?? "", error.message);
  }
}

/** Asks the signer whether it would sign the payment at any place. Throws `SigningRefused`. */
export async function checkWithSigner(socket: string, release: SignedRelease): Promise<void> {
  const request = { ...release, approvals: [...release.approvals] };
  await askToSign<CheckAnswer>(socket, { op: "check", release: request });
}

/** Returns the error for a transaction of the signer that differs from the send it was asked for. */
export const otherBytes = (hash: string, sendId: string): SigningRefused =>
  new SigningRefused(
    OTHER_BYTES,
    `The signer's transaction ${hash} is not send ${sendId}. Compare the policy file with the rails file and the catalogue.`,
  );

/** Returns what each request of a sweep or a top-up says of its move. The signer derives the addresses from the names. */
export function wordsOfMove({ send, from, to }: OwnMove) {
  const [output] = send.outputs;
  if (!output) throw new Error(`send ${send.id} moves nothing`);
  const { assetReference, units } = output;
  return { from: from.name, to: to.name, asset: assetReference, units: String(units) };
}
