import type { Break } from "../../domain/ledger/audit-facts.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** What was looked at, and what was wrong with it. */
export interface AuditFinding {
  /** What it is about: order:<id>, ledger, or a rail's line. */
  readonly subject: string;
  readonly breaks: readonly Break[];
  /** All of it was looked at: what was found before and not now is gone. */
  readonly isWhole: boolean;
}

/** A break that stands, or stood. */
export interface AuditBreak extends Break {
  readonly subject: string;
  readonly foundAt: Date;
  readonly goneAt: Date | null;
}

const KEEP = statement(
  "audit_breaks_keep",
  `insert into audit_breaks (subject, check_name, problem)
   select * from unnest($1::text[], $2::text[], $3::text[])
   on conflict (subject, check_name, problem) where gone_at is null do nothing
   returning subject, check_name as check, problem`,
);
const FORGET = statement(
  "audit_breaks_forget",
  `update audit_breaks set gone_at = business_now()
   where gone_at is null and subject = any ($1) and (subject, check_name, problem) not in (
     select * from unnest($2::text[], $3::text[], $4::text[]))`,
);
const LIST = statement(
  "audit_breaks_list",
  `select subject, check_name as check, problem, found_at as "foundAt", gone_at as "goneAt"
   from audit_breaks where gone_at is null or $1 order by found_at desc, id desc limit 1000`,
);
const COUNT = statement(
  "audit_breaks_count",
  "select exists (select from audit_breaks where gone_at is null) as standing",
);

/** Keeps what was found. Gives what is new; what is no longer so is noted as gone. */
export async function keepFindings(
  queryable: Queryable,
  findings: readonly AuditFinding[],
): Promise<Break[]> {
  const subjects = findings.filter(({ isWhole }) => isWhole).map(({ subject }) => subject);
  const rows = findings.flatMap(({ subject, breaks }) =>
    breaks.map(({ check, problem }) => [subject, check, problem] as const),
  );
  const columns = [0, 1, 2].map((column) => rows.map((row) => row[column]));
  const [state] = await queryable.query<{ standing: boolean }>(COUNT);
  if (state?.standing === true) await queryable.query(FORGET, [subjects, ...columns]);
  return rows.length === 0 ? [] : queryable.query<Break>(KEEP, columns);
}

/** The newest first; those that are gone only when asked for. */
export const listBreaks = (
  queryable: Queryable,
  which: "standing" | "all",
): Promise<AuditBreak[]> => queryable.query<AuditBreak>(LIST, [which === "all"]);
