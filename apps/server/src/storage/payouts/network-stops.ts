import type { Break } from "../../domain/ledger/audit-facts.ts";
import { storeBreaksOnce } from "../audit/breaks.ts";
import type { Tx } from "../postgres/database.ts";
import { putStop } from "./stops.ts";

/** Returns SQL that tells whether the payouts of a network are stopped. */
export const isRailStopped = (networkCode: string): string =>
  `exists (select from stops where kind = 'all'
     or (kind = 'network' and subject = ${networkCode})
     or (kind = 'rail' and subject in ('chain', 'chain:' || ${networkCode})))`;

const REASON_LENGTH_MAX = 300;

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
  const [first] = added;
  if (first === undefined) return added;
  const others = added.length > 1 ? ` (and ${added.length - 1} more)` : "";
  await putStop(tx, {
    kind: "rail",
    subject,
    reason: `${first.problem.slice(0, REASON_LENGTH_MAX)}${others}`,
    setBy: "auditor",
    peopleToResume: 2,
  });
  return added;
}
