import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { BatchRules } from "../domain/payouts/batches.ts";
import { isSameRelease, placeOfCoins, type ReleasePlace } from "../domain/payouts/release-text.ts";
import {
  type ChainGateway,
  type ChainPayment,
  type ChainPlace,
  type ChainSend,
  PayoutWaits,
  type Preflight,
  type SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import {
  type ChainSender,
  type FeeTerms,
  type SignedRelease,
  SigningRefused,
} from "../domain/ports/chain-sender.ts";
import { failpoint } from "../failpoints.ts";
import { writePaymentText } from "../flows/payouts/payment-text.ts";
import { reportRefusal } from "../flows/payouts/report-break.ts";
import { lockSend } from "../storage/chains/take-coins.ts";
import { wasSigned } from "../storage/payouts/lost-sends.ts";
import { noteQuestion, noteUnstopped, type SignerQuestion } from "../storage/payouts/questions.ts";
import {
  findRelease,
  findReleasedIntent,
  findStoredTerms,
  listSignedApprovals,
  type NewRelease,
  noteAsking,
  type ReleaseKey,
  renewRelease,
  replaceRelease,
  storeRelease,
  storeTerms,
} from "../storage/payouts/releases.ts";
import { listSigned, noteFreeSend } from "../storage/payouts/sends.ts";
import { isSendOf } from "../storage/payouts/wallets.ts";
import type { Database, Queryable, Tx } from "../storage/postgres/database.ts";
import { ALARMING_REASONS, firstOf, noteRefusal, type Signing } from "./refusals.ts";
import { preflightBeside, requireCover } from "./require-coins.ts";

export interface LiveSendsOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly sender: Omit<ChainSender, "places"> & Partial<Pick<ChainSender, "places">>;
  /** Takes the place of a send that was bound without one: coins, or a deadline. */
  readonly takePlace?: (send: ChainSend) => Promise<ChainSend>;
  /** The installation's name in the signer's policy. */
  readonly installation: string;
  /** Signs a text with the worker's release key. */
  readonly signRelease: (text: string) => string;
}

/** The sending half of a gateway, on one live network. */
export interface LiveSends
  extends Required<
    Pick<ChainGateway, "sign" | "broadcast" | "follow" | "replace" | "preflight" | "nextPlace">
  > {
  /** How its payouts share transactions. Absent where each has its own. */
  readonly batch?: BatchRules;
}

/**
 * Sends on one live network. The release and the fee terms are stored before the signer is asked. After a crash the
 * question is the same, and so is its answer (docs/decisions/0060-release-before-signing.md).
 */
export function makeLiveSends(options: LiveSendsOptions): LiveSends {
  const { database, sender, takePlace = async (send) => send } = options;
  return {
    sign: async (bound) => {
      await requireOwn(options, bound);
      // Before a release is stored: a payout that waits can still give up its place.
      await requireCover(options, bound);
      const question = await ask(database, bound);
      return signStored(options, { send: await takePlace(bound), number: 1, question });
    },
    replace: async (bound, stuck) => {
      await requireOwn(options, bound);
      const question = await ask(database, bound);
      const send = await takePlace(bound);
      const signed = await listSigned(database, send.id);
      return signStored(options, { send, number: signed.length + 1, question, stuck });
    },
    broadcast: (transaction) => sender.broadcast(transaction),
    follow: async (send, signed) => {
      const outcome = await sender.follow(send, signed);
      // Staked energy and bandwidth pay for a transaction of Tron.
      if ("networkFee" in outcome && outcome.networkFee === 0n)
        await noteFreeSend(database, send.id);
      return outcome;
    },
    preflight: (payment) => preflight(options, payment),
    nextPlace: async () => (await sender.places?.())?.next ?? 0n,
  };
}

/**
 * Another worker may ask about the same send, where this one was frozen past the lease of its job. A consolidation waits
 * for a stop, which may have been set after the consolidation was listed.
 */
async function ask(
  database: Database,
  { id: sendId, purpose, networkCode }: ChainSend,
): Promise<SignerQuestion> {
  const question = { sendId, id: randomUUID() };
  if (purpose !== "rebalance") await noteQuestion(database, question);
  else if (!(await noteUnstopped(database, question)))
    throw new PayoutWaits(`payouts of ${networkCode} are stopped`, CHECK_AGAIN_MS);
  return question;
}

/** Another process may have opened a new hot wallet, and this one signs for the old one. */
async function requireOwn(
  { database, sender: { wallet } }: Pick<LiveSendsOptions, "database" | "sender">,
  { id }: ChainSend,
): Promise<void> {
  if (await isSendOf(database, id, wallet.address)) return;
  throw new Error(
    `send ${id} is of another hot wallet than ${wallet.address}. Restart the workers that have the old rails file`,
  );
}

async function signStored(options: LiveSendsOptions, signing: Signing): Promise<SignedTransaction> {
  const { sender } = options;
  const { send } = signing;
  const terms = await termsOf(options, signing);
  const releases = send.purpose === "payout" ? await releasesOf(options, send) : [];
  failpoint("send.after_request");
  try {
    return await sender.sign(send, terms, releases).catch(async (error: unknown) => {
      const renewed = await renewReleases(options, signing, { releases, error });
      if (!renewed) throw error;
      failpoint("send.after_renewal");
      return sender.sign(send, terms, renewed);
    });
  } catch (error) {
    if (error instanceof SigningRefused) await noteRefusal(options, signing, error);
    throw error;
  }
}

/**
 * Returns new releases where the signer would refuse the stored ones. The signer's policy may no longer have their
 * key, or they are too old for a replacement, such as after a stop of days. A stopped payout is not replaced. The
 * signer names a question by the transaction and the payments, so it returns its earlier signature if it made one.
 * The stored text is not signed again, because anyone who can write to the table could choose what is paid.
 */
async function renewReleases(
  options: LiveSendsOptions,
  { send, number }: Signing,
  { releases, error }: { readonly releases: readonly SignedRelease[]; readonly error: unknown },
): Promise<readonly SignedRelease[] | undefined> {
  if (!(error instanceof SigningRefused)) return undefined;
  const isOwnKey = ({ text, signature }: SignedRelease): boolean =>
    options.signRelease(text) === signature;
  const isOfOtherKey = error.reason === "release_signature" && !releases.every(isOwnKey);
  const isTooOld = error.reason === "release_age" && number > 1;
  if (!isOfOtherKey && !isTooOld) return undefined;
  const renewed: SignedRelease[] = [];
  for (const [at, output] of send.outputs.entries()) {
    const release = releases[at];
    if (release === undefined || send.place === null) return undefined;
    const payment = { ...output, networkCode: send.networkCode };
    const written = await writeRelease(options, payment, releasePlaceOf(send.place));
    if (!isSameRelease(release.text, written.text)) return undefined;
    const key = { sendId: send.id, intentId: payment.intentId };
    const { text, signature } = await replaceRelease(options.database, key, written);
    renewed.push({ text, signature, approvals: release.approvals });
  }
  return renewed;
}

async function termsOf(
  { database, sender }: LiveSendsOptions,
  { send, number, stuck }: Signing,
): Promise<FeeTerms> {
  const key = { sendId: send.id, number };
  const stored = await findStoredTerms(database, key);
  return stored ?? storeTerms(database, key, await sender.feeTerms(send, stuck));
}

/**
 * Returns the releases of a send's payouts with the approvals that operators signed for the signer. They are stored
 * together, so the signer is asked for all of them or for none.
 */
async function releasesOf(options: LiveSendsOptions, send: ChainSend): Promise<SignedRelease[]> {
  const { database } = options;
  const { place } = send;
  if (place === null) throw new Error(`payout ${firstOf(send).intentId} has no place`);
  return database.transaction(async (tx) => {
    // A payout that leaves the others meanwhile is then seen, and none of them is released with it.
    if (send.outputs.length > 1) await lockSend(tx, send.id);
    const releases: SignedRelease[] = [];
    for (const output of send.outputs) {
      const payment = { ...output, networkCode: send.networkCode };
      const write = () =>
        writeRelease({ ...options, database: tx }, payment, releasePlaceOf(place));
      const { text, signature } = await releaseOf(
        tx,
        { sendId: send.id, intentId: output.intentId },
        write,
      );
      const approvals = await listSignedApprovals(tx, output.intentId);
      releases.push({ text, signature, approvals });
    }
    return releases;
  });
}

async function releaseOf(
  tx: Tx,
  key: ReleaseKey,
  write: () => Promise<NewRelease>,
): Promise<NewRelease> {
  let stored = await findRelease(tx, key);
  if (!stored) stored = await storeRelease(tx, key, await write());
  else if (stored.isVoid) stored = await renewRelease(tx, key, await write());
  else await noteAsking(tx, key);
  if (!stored) throw new Error(`payout ${key.intentId} gave up its place and is bound again`);
  return stored;
}

async function writeRelease(
  {
    database,
    sender,
    installation,
    signRelease,
  }: Pick<LiveSendsOptions, "sender" | "installation" | "signRelease"> & {
    readonly database: Queryable;
  },
  payment: ChainPayment,
  place: ReleasePlace | null,
): Promise<NewRelease> {
  const intent = await findReleasedIntent(database, payment.intentId);
  if (!intent) throw new Error(`there is no payout ${payment.intentId}`);
  const wallet = sender.wallet.name;
  const text = writePaymentText({ ...payment, ...intent, installation, wallet }, place);
  return { text, signature: signRelease(text) };
}

const releasePlaceOf = (place: ChainPlace): ReleasePlace =>
  place.kind === "coins" ? placeOfCoins(place.coins.map(({ outpoint }) => outpoint)) : place;

/** The answers of the signer that a person can change, by an approval or another limit. */
const HOLD_REASONS = new Set(["limit", "approvals"]);
/** The payment itself is impossible. */
const REJECT_REASONS = new Set(["destination", "address", "memo"]);
const CHECK_AGAIN_MS = 30_000;

/** Asks the network and the signer about a payment that has no place, so that none is wasted. */
async function preflight(options: LiveSendsOptions, payment: ChainPayment): Promise<Preflight> {
  const { database, sender } = options;
  // Its send was lost, so its preflight passed before. The signer decides when it is asked to sign.
  if (await wasSigned(database, payment.intentId)) return { state: "clear" };
  const ofNetwork = await preflightBeside(options, payment);
  if (ofNetwork.state !== "clear") return ofNetwork;
  const release = await writeRelease(options, payment, null);
  const approvals = await listSignedApprovals(database, payment.intentId);
  try {
    await sender.check({ ...release, approvals });
    return ofNetwork;
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    const { reason, message: why } = error;
    if (HOLD_REASONS.has(reason)) return { state: "hold", why };
    if (REJECT_REASONS.has(reason)) return { state: "rejected", why };
    if (ALARMING_REASONS.has(reason)) {
      const { intentId, networkCode } = payment;
      await reportRefusal(options, { name: `payout ${intentId}`, networkCode }, why);
    }
    return { state: "wait", why, askAgainMs: CHECK_AGAIN_MS };
  }
}
