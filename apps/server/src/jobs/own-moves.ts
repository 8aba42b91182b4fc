import type { TransactionCosts } from "../domain/ledger/house-entries.ts";
import type { SendOutcome } from "../domain/ports/chain-gateway.ts";
import { mayHaveSigned, refusesDeadline, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { ChainSweeper, OwnMove } from "../domain/ports/chain-sweeper.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { reportMismatch } from "../flows/payouts/report-break.ts";
import { requireUnread } from "../flows/payouts/require-unread.ts";
import { findDecision } from "../flows/payouts/resolve.ts";
import { findCursor } from "../storage/chains/cursors.ts";
import { bookCosts } from "../storage/ledger/house.ts";
import { vacate } from "../storage/payouts/holes.ts";
import type { SignerQuestion } from "../storage/payouts/questions.ts";
import { findStoredTerms, forgetRefusedTerms, storeTerms } from "../storage/payouts/releases.ts";
import { endSend, listSigned, noteFreeSend, storeOwn } from "../storage/payouts/sends.ts";
import type { Tx } from "../storage/postgres/database.ts";
import { giveUpMove, noteAsked, noteRefused, type StoredMove } from "../storage/treasury/sweeps.ts";
import { feeOf } from "./chain-rail.ts";
import { endOwnImpossible } from "./own-sends.ts";
import { raiseMove } from "./raise-move.ts";
import { raiseOrResend } from "./raise-or-resend.ts";
import type { SweepDeps, SweptNetwork } from "./top-up.ts";

/** A sweep or a top-up, as it is stored and as it is signed. */
export interface MoveUnderWay {
  readonly stored: StoredMove;
  readonly move: OwnMove;
}

/** Signs, sends and follows a move, like a payout. Only stored bytes are sent. */
export async function advanceMove(
  deps: SweepDeps,
  network: SweptNetwork,
  stored: StoredMove,
  all: readonly StoredMove[],
): Promise<void> {
  const { database } = deps;
  const { sweeper } = network;
  const { networkCode } = sweeper;
  const under = { stored, move: toMove(deps, sweeper, stored) };
  if (stored.state === "bound" && !(await signFirst(deps, network, under))) return;
  const signed = (await listSigned(database, stored.id)).map((one) => ({ ...one, networkCode }));
  const newest = signed.at(-1);
  if (!newest) return;
  if (stored.state === "bound") {
    await sweeper.broadcast(newest);
    failpoint("sweep.after_broadcast");
    return;
  }
  const finalHeight = (await findCursor(database, networkCode))?.finalHeight ?? 0n;
  // A move whose fee may be raised has several terms, and no deadline.
  const terms =
    sweeper.deadlineTerms && (await findStoredTerms(database, { sendId: stored.id, number: 1 }));
  const outcome = await sweeper.follow(under.move, signed, { finalHeight, terms });
  if (outcome.state === "waiting") {
    return raiseOrResend(outcome, {
      raise: () => raiseMove(deps, network, { ...under, signed, all }),
      resend: () => sweeper.broadcast(newest),
    });
  }
  if (outcome.state === "lost") await requireUnread(database, signed);
  await recordMoveEnd(deps, networkCode, { stored, outcome });
}

function toMove(
  deps: Pick<Deps, "catalogue">,
  { networkCode, hot, funder, depositAccount }: ChainSweeper,
  stored: StoredMove,
): OwnMove {
  const { id, purpose, place, to, units, assetId, keyIndex } = stored;
  const assetReference = deps.catalogue().requireCurrency(assetId).reference;
  const deposit = {
    name: stored.askedAs ?? depositAccount(keyIndex) ?? "",
    address: purpose === "sweep" ? stored.from : to,
  };
  const own = [funder, hot].find(({ address }) => address === stored.from);
  return {
    send: {
      id,
      networkCode,
      purpose,
      place: place === null ? null : { kind: "nonce", nonce: place },
      outputs: [{ intentId: id, assetReference, address: to, memo: null, units }],
    },
    ...(purpose === "sweep"
      ? { from: deposit, to: hot }
      : { from: own ?? { name: "", address: stored.from }, to: deposit }),
  };
}

/** Returns false where nothing was signed: payouts are stopped, sweeps are off, or the signer refused. */
async function signFirst(
  deps: SweepDeps,
  { sweeper, rules }: SweptNetwork,
  { stored, move }: MoveUnderWay,
): Promise<boolean> {
  const { id, askedAs, isStopped } = stored;
  if (isStopped) return false;
  if (rules === undefined && askedAs === null) {
    await deps.database.transaction((tx) => giveUp(tx, deps, stored));
    return false;
  }
  if (sweeper.deadlineTerms && !(await findStoredTerms(deps.database, { sendId: id, number: 1 }))) {
    const terms = await sweeper.deadlineTerms(move);
    await storeTerms(deps.database, { sendId: id, number: 1 }, terms);
  }
  const deposit = stored.purpose === "sweep" ? move.from : move.to;
  const question = { sendId: id, id: deps.ids.uuid() };
  const account = await noteAsked(deps.database, question, deposit.name);
  if (account === undefined) return false;
  failpoint("sweep.after_ask");
  return signStored(deps, sweeper, { stored, move, question });
}

/** Returns false when the signer refused. A refused top-up gives up its place, so that payouts do not wait for it. */
async function signStored(
  deps: SweepDeps,
  sweeper: ChainSweeper,
  { stored, move, question }: MoveUnderWay & { readonly question: SignerQuestion },
): Promise<boolean> {
  const { database, log } = deps;
  const { id, purpose } = stored;
  const { networkCode } = sweeper;
  if (move.from.name === "") {
    const { address } = move.from;
    throw new Error(`${purpose} ${id} leaves ${address}, which the rails file does not name`);
  }
  const terms = await findStoredTerms(database, { sendId: id, number: 1 });
  if (!terms) throw new Error(`send ${id} has no terms`);
  try {
    const transaction = await sweeper.sign(move, terms);
    failpoint("sweep.after_sign");
    await storeOwn(database, id, transaction);
    failpoint("sweep.after_store");
    return true;
  } catch (error) {
    if (!(error instanceof SigningRefused) || mayHaveSigned(error)) throw error;
    log.error({ networkCode, purpose, reason: error.reason }, `no sweep: ${error.message}`);
    await database.transaction(async (tx) => {
      // The signer refused the deadline and not the move. The next round asks with a new deadline.
      const isRetried =
        sweeper.deadlineTerms !== undefined &&
        refusesDeadline(error) &&
        (await forgetRefusedTerms(tx, error, { ...question, number: 1 }));
      await noteRefused(tx, question);
      if (!isRetried) await giveUp(tx, deps, stored);
    });
    return false;
  }
}

/**
 * Vacates a move unless the signer may have signed it: another process may have asked since the move was read. The place
 * of a top-up is filled, because later sends wait for it. No later send waits for a move with a deadline.
 */
async function giveUp(
  tx: Tx,
  { ids }: Pick<SweepDeps, "ids">,
  { id: sendId, purpose, place }: StoredMove,
): Promise<void> {
  if (purpose === "sweep" || place === null) await giveUpMove(tx, sendId);
  else await vacate(tx, { sendId, cancelId: ids.uuid() });
}

type Ended = Exclude<SendOutcome, { state: "waiting" }>;
type Mismatch = Extract<SendOutcome, { state: "mismatch" }>;

async function recordMoveEnd(
  deps: SweepDeps,
  networkCode: string,
  { stored, outcome }: { readonly stored: StoredMove; readonly outcome: Ended },
): Promise<void> {
  const { id, purpose } = stored;
  const spender = { name: `${purpose} ${id}`, networkCode };
  switch (outcome.state) {
    case "mined":
      return;
    case "dead":
    case "lost":
      return endOwnImpossible(deps, { ...spender, id }, outcome);
    case "mismatch":
      await reportMismatch(deps, spender, outcome);
      return endDecided(deps, networkCode, { stored, outcome });
    case "failed":
      deps.log.error({ networkCode, sendId: id, why: outcome.why }, "a sweep moved nothing");
      return end(deps, networkCode, { stored, outcome });
    case "final":
      return end(deps, networkCode, { stored, outcome });
  }
}

/** The transaction moved something other than the sweep. People state the loss, which is then booked. */
async function endDecided(
  deps: SweepDeps,
  networkCode: string,
  { stored, outcome }: { readonly stored: StoredMove; readonly outcome: Mismatch },
): Promise<void> {
  const { hash, why, networkFee: units } = outcome;
  const networkFee = feeOf(deps, { networkCode, hash, units });
  const decided = await findDecision(deps, stored, { hash, why, networkFee });
  if (decided) await book(deps, stored, { state: "final", hash, ...decided });
}

async function end(
  deps: SweepDeps,
  networkCode: string,
  ended: {
    readonly stored: StoredMove;
    readonly outcome: Extract<SendOutcome, { state: "final" | "failed" }>;
  },
): Promise<void> {
  const { stored, outcome } = ended;
  const { state, hash, networkFee: units } = outcome;
  const networkFee = feeOf(deps, { networkCode, hash, units });
  await book(deps, stored, { state, hash, networkFee });
}

/** Records the end of a move together with its entries. */
async function book(
  { database }: Pick<SweepDeps, "database">,
  { id }: StoredMove,
  ended: TransactionCosts & { readonly state: "final" | "failed"; readonly hash: string },
): Promise<void> {
  const { state, hash } = ended;
  failpoint("sweep.before_end");
  await database.transaction(async (tx) => {
    if (!(await endSend(tx, id, { state, hash }))) return;
    if (ended.networkFee?.amount.units === 0n) await noteFreeSend(tx, id);
    await bookCosts(tx, ended);
  });
  failpoint("sweep.after_end");
}
