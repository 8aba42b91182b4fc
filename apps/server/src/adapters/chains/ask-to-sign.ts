import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import {
  OTHER_BYTES,
  type SignedRelease,
  SigningRefused,
} from "../../domain/ports/chain-sender.ts";
import type { OwnMove } from "../../domain/ports/chain-sweeper.ts";
import type { CheckAnswer, SignedAnswer, StatusAnswer } from "../../signer/protocol.ts";
import { askSigner, SignerRefused } from "./signer-client.ts";

type SignerRequest = Parameters<typeof askSigner>[1];

interface Signing {
  readonly endpoints: { readonly networkCode: string };
  readonly signerSocket: string;
}

/** Returns the transaction that the signer makes of a request. Throws `SigningRefused`. */
export async function signedBy(
  { endpoints: { networkCode }, signerSocket }: Signing,
  request: SignerRequest,
): Promise<SignedTransaction> {
  const { hash, bytes } = await askToSign<SignedAnswer>(signerSocket, request);
  return { networkCode, transactionHash: hash, bytes: Buffer.from(bytes, "hex") };
}

/** Returns the place after all that the signer's log has of a wallet, and 0 for a wallet that signed nothing. */
export async function nextInLog(signerSocket: string, wallet: string): Promise<bigint> {
  const { accounts } = await askSigner<StatusAnswer>(signerSocket, { op: "status" });
  const highest = accounts[wallet]?.highest ?? null;
  return highest === null ? 0n : BigInt(highest) + 1n;
}

/** Asks the signer. A refusal is an answer. A fault of the signer is none, like a signer that is away. */
async function askToSign<Answer extends CheckAnswer | SignedAnswer>(
  socket: string,
  request: SignerRequest,
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
  await askToSign<CheckAnswer>(socket, { op: "check", release: wordsOfRelease(release) });
}

/** Returns the error for a transaction of the signer that differs from the send it was asked for. */
export const otherBytes = (hash: string, sendId: string): SigningRefused =>
  new SigningRefused(
    OTHER_BYTES,
    `The signer's transaction ${hash} is not send ${sendId}. Compare the policy file with the rails file and the catalogue.`,
  );

/** Returns a release as each request of a payment has it. */
export const wordsOfRelease = (release: SignedRelease) => ({
  ...release,
  approvals: [...release.approvals],
});

/** Returns what each request of a sweep or a top-up says of its move. The signer derives the addresses from the names. */
export function wordsOfMove({ send, from, to }: OwnMove) {
  const [output] = send.outputs;
  if (!output) throw new Error(`send ${send.id} moves nothing`);
  const { assetReference, units } = output;
  return { from: from.name, to: to.name, asset: assetReference, units: String(units) };
}
