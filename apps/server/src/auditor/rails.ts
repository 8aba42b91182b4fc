import type { Break } from "../domain/ledger/audit-facts.ts";
import {
  findMissingHere,
  findMissingThere,
  lineKey,
  type OurLine,
} from "../domain/ledger/reconcile.ts";
import type { RailStatement, StatementLine } from "../domain/ports/rail-statement.ts";
import type { Deps } from "../flows/deps.ts";
import { findOurLines, listBookedLines } from "../storage/audit/rails.ts";

/** A rail's clock and ours may differ, and what it did may reach our books later. */
const OVERLAP_MS = 10 * 60_000;
/** When our books know what a statement does not, more of it is asked for before anything is said. */
const LONG_AGO = new Date(0);

type Lines = ReadonlyMap<string, readonly StatementLine[]>;

/**
 * Our books against the rails' own. What we booked is read before the statements and looked for in
 * them; what they state is looked for in our books afterwards. So neither side is blamed for news.
 */
export async function auditRails(
  deps: Deps,
  span: { readonly watermark: string; readonly horizon: string; readonly since: Date },
): Promise<Break[]> {
  const statements = statementsOf(deps);
  if (statements.length === 0) return [];
  const booked = await listBookedLines(deps.database, span);
  const since = new Date(span.since.getTime() - OVERLAP_MS);
  const theirs = await askAll(statements, since);
  const missing = await findMissing(booked, { statements, theirs });
  const ours = await findOurLines(deps.database, [...theirs.values()].flat());
  const known = new Map(ours.map((line) => [lineKey(line), line]));
  return [...missing, ...findMissingHere(theirs, known)];
}

const statementsOf = ({ cardProcessor, chain, bank }: Deps): RailStatement[] =>
  [cardProcessor?.statement, chain?.statement, bank?.statement].filter(
    (statement) => statement !== undefined,
  );

async function askAll(statements: readonly RailStatement[], since: Date): Promise<Lines> {
  const answers = await Promise.all(statements.map((statement) => statement(since)));
  const lines = new Map<string, StatementLine[]>();
  for (const line of answers.flat()) {
    lines.set(lineKey(line), [...(lines.get(lineKey(line)) ?? []), line]);
  }
  return lines;
}

async function findMissing(
  booked: readonly OurLine[],
  asked: { readonly statements: readonly RailStatement[]; readonly theirs: Lines },
): Promise<Break[]> {
  const suspicious = findMissingThere(booked, asked.theirs);
  if (suspicious.length === 0) return [];
  return findMissingThere(booked, await askAll(asked.statements, LONG_AGO));
}
