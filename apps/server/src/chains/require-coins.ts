import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import {
  type ChainPayment,
  type ChainSend,
  PayoutWaits,
  type Preflight,
} from "../domain/ports/chain-gateway.ts";
import type { ChainSender } from "../domain/ports/chain-sender.ts";
import { giveUpPlace } from "../storage/payouts/holes.ts";
import { findStoredTerms } from "../storage/payouts/releases.ts";
import { readUnderWay } from "../storage/payouts/under-way.ts";
import type { Database } from "../storage/postgres/database.ts";

interface Asking {
  readonly database: Database;
  readonly log: Logger;
  readonly sender: Pick<ChainSender, "networkCode" | "wallet" | "countsUnderWay" | "preflight">;
}

/**
 * Asks whether a payment could be made beside the sends under way. The network would accept two payments that the hot
 * wallet cannot both cover. With `beforeSendId` only the sends that were bound before that one count.
 */
export async function preflightBeside(
  {
    database,
    sender: { networkCode, wallet, countsUnderWay, preflight: ask },
  }: Omit<Asking, "log">,
  payment: ChainPayment,
  beforeSendId?: string,
): Promise<Preflight> {
  const { address } = wallet;
  if (!countsUnderWay) return ask(payment);
  return ask(payment, await readUnderWay(database, { networkCode, address, beforeSendId }));
}

/**
 * Payouts checked at the same moment do not see each other. Each is therefore checked again, beside the sends bound
 * before it. If the hot wallet cannot cover them all, the payout gives up its place, so that smaller ones do not wait
 * behind it. The function then throws `PayoutWaits`. The check also runs when none of those sends is under way any
 * more, because a block may have paid one since. No payout waits for a later one, so one of them always proceeds. A
 * payout that became impossible is still signed: it fails in its block, and its order goes to review. The signer may
 * have signed one with stored terms, and it does not wait.
 */
export async function requireCover(asking: Asking, { id, outputs }: ChainSend): Promise<void> {
  const { networkCode, countsUnderWay } = asking.sender;
  const [output] = outputs;
  if (!countsUnderWay || output === undefined) return;
  const { database, log } = asking;
  if (await findStoredTerms(database, { sendId: id, number: 1 })) return;
  const answer = await preflightBeside(asking, { ...output, networkCode }, id);
  if (answer.state !== "wait") return;
  // A place that is given up costs a fee where a cancel has to use it.
  if (!answer.concernsAll) {
    const places = { sendId: id, cancelId: randomUUID() };
    if (await database.transaction((tx) => giveUpPlace(tx, places))) {
      log.info({ network: networkCode, ...places }, "a payout without coins gave up its place");
    }
  }
  throw new PayoutWaits(answer.why, answer.askAgainMs);
}
