import type { Break } from "../../domain/ledger/audit-facts.ts";
import type { StopKey } from "../../domain/payouts/stop.ts";
import { storeBreaksOnce } from "../audit/breaks.ts";
import type { Tx } from "../postgres/database.ts";
import { putStop } from "./stops.ts";

/** Returns SQL that tells whether the payouts of a network are stopped. */
export const isRailStopped = (networkCode: string): string =>
  `exists (select from stops where kind = 'all'
     or (kind = 'network' and subject = ${networkCode})
     or (kind = 'rail' and subject in ('chain', 'chain:' || ${networkCode})))`;

/** A stop that the service sets shows so much of its cause. The log has the whole. */
export const STOP_REASON_CHARACTERS_MAX = 300;

/** The subject of a network's breaks, and of its stop. */
const networkSubject = (networkCode: string | null): string => `chain:${networkCode}`;

/**
 * Records breaks of one network and stops its payouts until two people agree, in the caller's database transaction.
 * The same break stops the network once, so that people can resume it. Returns the new breaks.
 */
export async function stopForBreaks(
  tx: Tx,
  networkCode: string | null,
  breaks: readonly Break[],
): Promise<readonly Break[]> {
  const subject = networkSubject(networkCode);
  const added = await storeBreaksOnce(tx, subject, breaks);
  const reasons = added.map(({ problem }) => problem);
  await putAuditorStop(tx, { kind: "rail", subject }, reasons);
  return added;
}

/**
 * Sets a stop of the auditor, which two people lift. It names the first reason and counts the others. Without one it
 * sets none.
 */
export async function putAuditorStop(
  tx: Tx,
  stop: StopKey,
  [first, ...others]: readonly string[],
): Promise<void> {
  if (first === undefined) return;
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  const reason = `${first.slice(0, STOP_REASON_CHARACTERS_MAX)}${more}`;
  await putStop(tx, { ...stop, reason, setBy: "auditor", peopleToResume: 2 });
}
