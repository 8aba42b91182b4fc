import {
  placeOfCoins,
  type ReleasePlace,
  writeReleaseText,
} from "../domain/payouts/release-text.ts";
import type {
  ChainGateway,
  ChainPayment,
  ChainPlace,
  ChainSend,
  SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import {
  type ChainSender,
  type FeeTerms,
  type SignedRelease,
  SigningRefused,
} from "../domain/ports/chain-sender.ts";
import { failpoint } from "../failpoints.ts";
import {
  findRelease,
  findReleasedIntent,
  findTerms,
  forgetTerms,
  listSignedApprovals,
  renewRelease,
  type StoredRelease,
  storeRelease,
  storeTerms,
} from "../storage/payouts/releases.ts";
import { listSigned } from "../storage/payouts/sends.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface LiveSendsOptions {
  readonly database: Database;
  readonly sender: Omit<ChainSender, "places"> & Partial<Pick<ChainSender, "places">>;
  /** Takes the place of a send that was bound without one, as where coins are spent. */
  readonly takePlace?: (send: ChainSend) => Promise<ChainSend>;
  /** The installation's name in the signer's policy. */
  readonly installation: string;
  /** Signs a text with the worker's release key. */
  readonly signRelease: (text: string) => string;
}

/** The sending half of a gateway, on one live network. */
export type LiveSends = Required<
  Pick<ChainGateway, "sign" | "broadcast" | "follow" | "replace" | "preflight" | "nextPlace">
>;

/**
 * Sends on one live network. The release and the fee terms are stored before the signer is asked, so that a crash
 * leads to the same question, which has the same answer (docs/decisions/0060-release-before-signing.md).
 */
export function makeLiveSends(options: LiveSendsOptions): LiveSends {
  const { database, sender, takePlace = async (send) => send } = options;
  return {
    sign: async (send) => signStored(options, { send: await takePlace(send), number: 1 }),
    replace: async (bound, stuck) => {
      const send = await takePlace(bound);
      const signed = await listSigned(database, send.id);
      return signStored(options, { send, number: signed.length + 1, stuck });
    },
    broadcast: (transaction) => sender.broadcast(transaction),
    follow: (send, signed) => sender.follow(send, signed),
    preflight: (payment: ChainPayment) => sender.preflight(payment),
    nextPlace: async () => (await sender.places?.())?.next ?? 0n,
  };
}

interface Signing {
  readonly send: ChainSend;
  /** The number of the transaction within its send. */
  readonly number: number;
  /** The transaction that it replaces. */
  readonly stuck?: SignedTransaction;
}

/** Reasons that another request does not have: the signer logged nothing for the one that it refused. */
const RENEWABLE = new Set(["fee", "release_age"]);

async function signStored(options: LiveSendsOptions, signing: Signing): Promise<SignedTransaction> {
  const { database, sender } = options;
  const { send, number } = signing;
  const release = send.purpose === "cancel" ? null : await releaseOf(options, send);
  const terms = await termsOf(options, signing);
  failpoint("send.after_request");
  try {
    return await sender.sign(send, terms, release);
  } catch (error) {
    if (error instanceof SigningRefused && RENEWABLE.has(error.reason)) {
      await forgetTerms(database, { sendId: send.id, number });
      if (error.reason === "release_age") await renew(options, send);
    }
    throw error;
  }
}

async function termsOf(
  { database, sender }: LiveSendsOptions,
  { send, number, stuck }: Signing,
): Promise<FeeTerms> {
  const key = { sendId: send.id, number };
  const stored = await findTerms(database, key);
  return stored ?? storeTerms(database, key, await sender.feeTerms(send, stuck));
}

/** Returns the release of a payout with the approvals that operators signed for the signer. */
async function releaseOf(options: LiveSendsOptions, send: ChainSend): Promise<SignedRelease> {
  const { database } = options;
  const intentId = outputOf(send).intentId;
  const key = { sendId: send.id, intentId };
  const stored =
    (await findRelease(database, key)) ??
    (await storeRelease(database, key, await writeRelease(options, send)));
  return { ...stored, approvals: await listSignedApprovals(database, intentId) };
}

async function renew(options: LiveSendsOptions, send: ChainSend): Promise<void> {
  if (send.purpose === "cancel") return;
  const key = { sendId: send.id, intentId: outputOf(send).intentId };
  await renewRelease(options.database, key, await writeRelease(options, send));
}

async function writeRelease(
  { database, sender, installation, signRelease }: LiveSendsOptions,
  send: ChainSend,
): Promise<StoredRelease> {
  const { intentId, assetReference, address, memo, units } = outputOf(send);
  const intent = await findReleasedIntent(database, intentId);
  if (!intent || send.place === null) throw new Error(`payout ${intentId} has no place`);
  const text = writeReleaseText({
    installation,
    intent: intentId,
    order: String(intent.orderId),
    purpose: intent.purpose,
    network: send.networkCode,
    wallet: sender.wallet.name,
    asset: assetReference,
    address,
    memo,
    units,
    place: releasePlaceOf(send.place),
    // The signer compares it with its own clock, so business time would not do.
    releasedAt: new Date(),
  });
  return { text, signature: signRelease(text) };
}

const releasePlaceOf = (place: ChainPlace): ReleasePlace =>
  place.kind === "nonce" ? place : placeOfCoins(place.coins.map(({ outpoint }) => outpoint));

function outputOf({ id, outputs }: ChainSend) {
  const [output] = outputs;
  if (!output) throw new Error(`send ${id} pays nobody`);
  return output;
}
