import { networkFeeEntry } from "../domain/ledger/house-entries.ts";
import type { ChainGateway, ChainSend, SignedTransaction } from "../domain/ports/chain-gateway.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { reportForeign, reportMismatch } from "../flows/payouts/report-break.ts";
import { bookHouseEntry } from "../storage/ledger/house.ts";
import { type CancelSend, listCancels, listHoles, vacate } from "../storage/payouts/holes.ts";
import { addSigned, endSend, listSigned, storeOwn } from "../storage/payouts/sends.ts";
import { feeOf } from "./payout-rails.ts";

const LOOK_MAX_MS = 5_000;

export interface HoleOptions {
  /** The age of a place that was taken and never signed, before it is filled. */
  readonly afterSeconds: number;
  /** False while nobody knows whether this database was restored. */
  readonly mayFill?: () => boolean;
}

type HoleDeps = Pick<Deps, "database" | "catalogue" | "chain" | "ids" | "log">;

/**
 * Fills the places of payouts and top-ups that were not signed, so that later sends do not wait for them. Any
 * number of processes may do it at once. Returns the function that stops it.
 */
export function startHoleFiller(deps: HoleDeps, options: HoleOptions): () => Promise<void> {
  let isStopping = false;
  let filling = Promise.resolve();
  const pass = async (): Promise<void> => {
    if (isStopping || options.mayFill?.() === false) return;
    await fillHoles(deps, options.afterSeconds).catch((error: unknown) => {
      if (!isStopping) deps.log.warn({ err: error }, "places were not filled, retrying");
    });
  };
  const timer = setInterval(
    () => {
      filling = filling.then(pass);
    },
    Math.min(options.afterSeconds * 1_000, LOOK_MAX_MS),
  );
  timer.unref();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await filling;
  };
}

/** Lets cancels have the places of unsigned sends, and takes every cancel a step further. */
export async function fillHoles(deps: HoleDeps, afterSeconds: number): Promise<void> {
  const { database, chain, ids, log } = deps;
  if (chain === undefined) return;
  for (const sendId of await listHoles(database, afterSeconds)) {
    failpoint("hole.before_vacate");
    const cancelId = ids.uuid();
    const isVacated = await database.transaction((tx) => vacate(tx, { sendId, cancelId }));
    failpoint("hole.after_vacate");
    if (isVacated) log.warn({ sendId, cancelId }, "a send that was not signed gave up its place");
  }
  for (const cancel of await listCancels(database)) {
    try {
      await advanceCancel(deps, chain, cancel);
    } catch (error) {
      log.warn({ err: error, sendId: cancel.id }, "a cancel will be retried");
    }
  }
}

/** Signs and sends a cancel, or asks what became of it. A stop does not prevent it, because it moves nothing. */
async function advanceCancel(
  deps: HoleDeps,
  chain: ChainGateway,
  { id, networkCode, place, role }: CancelSend,
): Promise<void> {
  const { database } = deps;
  const send: ChainSend = {
    id,
    networkCode,
    purpose: "cancel",
    ...(role === "gas" && { payer: "gas_tank" as const }),
    place: { kind: "nonce", nonce: place },
    outputs: [],
  };
  if ((await listSigned(database, id)).length === 0) {
    const transaction = await chain.sign(send);
    failpoint("hole.after_sign");
    await storeOwn(database, id, transaction);
    failpoint("hole.after_store");
  }
  const signed = (await listSigned(database, id)).map((one) => ({ ...one, networkCode }));
  const spender = { name: `cancel ${id}`, networkCode };
  const outcome = await chain.follow(send, signed);
  switch (outcome.state) {
    case "waiting":
      return nudge(deps, chain, { send, signed, outcome });
    case "mined":
      return;
    case "dead":
      await reportForeign(deps, spender, outcome.by);
      return void (await endSend(database, id, outcome));
    case "final":
    case "failed":
    case "mismatch":
      if (outcome.state === "mismatch") await reportMismatch(deps, spender, outcome);
      failpoint("hole.before_end");
      await database.transaction(async (tx) => {
        const { hash, networkFee: units } = outcome;
        const state = outcome.state === "final" ? "final" : "failed";
        if (!(await endSend(tx, id, { state, hash }))) return;
        await bookHouseEntry(tx, networkFeeEntry(feeOf(deps, { networkCode, hash, units })));
      });
      failpoint("hole.after_end");
  }
}

/** Sends a cancel that the network does not know, and replaces a stuck one. */
async function nudge(
  { database }: HoleDeps,
  chain: ChainGateway,
  cancel: {
    readonly send: ChainSend;
    readonly signed: readonly SignedTransaction[];
    readonly outcome: { readonly isKnown: boolean; readonly isStuck: boolean };
  },
): Promise<void> {
  const { send, signed, outcome } = cancel;
  const newest = signed.at(-1);
  if (newest === undefined) return;
  if (!outcome.isStuck || !chain.replace) {
    if (outcome.isKnown) return;
    await chain.broadcast(newest);
    failpoint("hole.after_broadcast");
    return;
  }
  const { networkCode } = newest;
  await addSigned(database, send.id, {
    ...(await chain.replace(send, newest)),
    number: signed.length + 1,
  });
  const stored = (await listSigned(database, send.id)).at(-1);
  if (stored) await chain.broadcast({ ...stored, networkCode });
}
