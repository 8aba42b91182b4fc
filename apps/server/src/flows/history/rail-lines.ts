import { isPaymentLine, lineKey } from "../../domain/ledger/reconcile.ts";
import type {
  PaymentKind,
  RailStatement,
  StatementLine,
} from "../../domain/ports/rail-statement.ts";
import { findOurLines } from "../../storage/audit/rails.ts";
import type { Deps } from "../deps.ts";

/** A rail's clock may differ from ours, and its transfers may reach our ledger later. */
export const STATEMENT_OVERLAP_MS = 10 * 60_000;

export type RailName = "card" | "chain" | "bank";

export interface StatedRail {
  readonly rail: RailName;
  readonly statement: RailStatement;
}

/** A line of a statement that stands for a payment, with its rail. */
export interface RailLine extends StatementLine {
  readonly kind: PaymentKind;
  readonly rail: RailName;
}

export type RailDeps = Pick<Deps, "cardProcessor" | "chain" | "bank">;

/** Returns the rails that list their movements. */
export function railsWithStatement({ cardProcessor, chain, bank }: RailDeps): StatedRail[] {
  const rails = { card: cardProcessor, chain, bank };
  return (["card", "chain", "bank"] as const).flatMap((rail) => {
    const statement = rails[rail]?.statement;
    return statement === undefined ? [] : [{ rail, statement }];
  });
}

/**
 * Reads the payments in the statements of all rails since a time, with the overlap. Throws when a rail does not
 * answer.
 */
export async function readRailLines(deps: RailDeps, since: Date): Promise<RailLine[]> {
  return (await readAllLines(deps, since)).filter(isPaymentLine);
}

/**
 * Reads the same payments, and the transactions of our wallets that the books do not have. They count as payouts,
 * mined or not, because a restore may have lost payouts. Blocks that were not read may have some too. A transaction that
 * leaves the unmined ones meanwhile is in a block, so the statement is read last.
 */
export async function readLostLines(deps: RailDeps, since: Date): Promise<RailLine[]> {
  const unmined = (await deps.chain?.unmined?.()) ?? [];
  const unread = (await deps.chain?.unread?.()) ?? [];
  const ofNodes = [...unmined, ...unread].map((line) => ({ ...line, rail: "chain" as const }));
  return [...(await readAllLines(deps, since)), ...ofNodes].flatMap((line) =>
    line.kind === "foreign" ? [{ ...line, kind: "payout" }] : isPaymentLine(line) ? [line] : [],
  );
}

async function readAllLines(
  deps: RailDeps,
  since: Date,
): Promise<(StatementLine & { readonly rail: RailName })[]> {
  const from = new Date(since.getTime() - STATEMENT_OVERLAP_MS);
  const lists = await Promise.all(
    railsWithStatement(deps).map(async ({ rail, statement }) =>
      (await statement(from)).map((line) => ({ ...line, rail })),
    ),
  );
  return lists.flat();
}

export interface ComparedLines {
  /** The books do not have them. */
  readonly unknown: readonly RailLine[];
  /** The books have them and have not settled them. */
  readonly pending: readonly RailLine[];
}

/** Compares the lines that moved money, or may still, with our books. */
export async function compareLines(
  deps: Pick<Deps, "database">,
  lines: readonly RailLine[],
): Promise<ComparedLines> {
  const moved = lines.filter(({ state }) => state !== "rejected");
  const ours = await findOurLines(deps.database, moved);
  const stateOf = new Map(ours.map((line) => [lineKey(line), line.state]));
  return {
    unknown: moved.filter((line) => !stateOf.has(lineKey(line))),
    pending: moved.filter((line) => stateOf.get(lineKey(line)) === "pending"),
  };
}
