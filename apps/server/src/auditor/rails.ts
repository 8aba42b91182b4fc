import {
  findMissingHere,
  findMissingThere,
  isPaymentLine,
  lineKey,
  MOVED_AS_ASKED,
  type NetworkLine,
  type OurLine,
  type RailBreak,
} from "../domain/ledger/reconcile.ts";
import type { Deps } from "../flows/deps.ts";
import {
  railsWithStatement,
  STATEMENT_OVERLAP_MS,
  type StatedRail,
} from "../flows/history/rail-lines.ts";
import { findOurLines, listBookedLines } from "../storage/audit/rails.ts";
import { readHistory } from "../storage/history.ts";

/** A transfer that the recent statement lacks is looked up in the whole statement before it is a break. */
const LONG_AGO = new Date(0);

type Lines = ReadonlyMap<string, readonly NetworkLine[]>;

/**
 * Compares our ledger with the rails' statements. Our lines are read before the statements and looked up
 * in them. Their lines are looked up in our ledger afterwards, and a difference in the statements once more. So a transfer
 * in between is not a break.
 */
export async function auditRails(
  deps: Deps,
  span: { readonly watermark: string; readonly horizon: string; readonly since: Date },
): Promise<RailBreak[]> {
  const statements = railsWithStatement(deps);
  if (statements.length === 0) return [];
  const { restoredWhy } = await readHistory(deps.database);
  const booked = await listBookedLines(deps.database, span);
  const since = new Date(span.since.getTime() - STATEMENT_OVERLAP_MS);
  const theirs = await readStatements(statements, since);
  const missing = await findMissing(booked, statements, theirs);
  const ours = await findOurLines(deps.database, [...theirs.values()].flat().filter(isPaymentLine));
  const oursByKey = new Map(ours.map((line) => [lineKey(line), line]));
  const here = await findMissingStill(theirs, oursByKey, () => readStatements(statements, since));
  // Payouts of a restored database are stopped already, and the operator adopts or books what it lacks.
  return [
    ...missing,
    ...here.filter(({ check }) => restoredWhy === null || check !== MOVED_AS_ASKED),
  ];
}

async function readStatements(rails: readonly StatedRail[], since: Date): Promise<Lines> {
  const lists = await Promise.all(
    rails.map(async ({ rail, statement }) =>
      (await statement(since)).filter(isPaymentLine).map((line): NetworkLine => {
        return { ...line, networkCode: rail === "chain" ? line.source : null };
      }),
    ),
  );
  const lines = new Map<string, NetworkLine[]>();
  for (const line of lists.flat()) {
    lines.set(lineKey(line), [...(lines.get(lineKey(line)) ?? []), line]);
  }
  return lines;
}

async function findMissing(
  booked: readonly OurLine[],
  statements: readonly StatedRail[],
  theirs: Lines,
): Promise<RailBreak[]> {
  const candidates = findMissingThere(booked, theirs);
  if (candidates.length === 0) return [];
  return findMissingThere(booked, await readStatements(statements, LONG_AGO));
}

/** A rail may refuse a movement, make it after all, and have it booked between the two readings. Its next statement says so. */
async function findMissingStill(
  theirs: Lines,
  ours: ReadonlyMap<string, OurLine>,
  readAgain: () => Promise<Lines>,
): Promise<RailBreak[]> {
  const candidates = findMissingHere(theirs, ours);
  if (candidates.length === 0) return [];
  const again = findMissingHere(await readAgain(), ours);
  const problems = new Set(again.map(({ problem }) => problem));
  return candidates.filter(({ problem }) => problems.has(problem));
}
