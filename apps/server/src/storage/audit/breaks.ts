import type { Break } from "../../domain/ledger/audit-facts.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** The result of the checks of one subject. */
export interface AuditFinding {
  /** `order:<id>`, `ledger`, or `tokens:<network>`. */
  readonly subject: string;
  readonly breaks: readonly Break[];
  /** The whole subject was checked, so earlier breaks that were not found again are gone. */
  readonly isWhole: boolean;
}

/** The subject of the breaks of banks and card processors. A network's have the subject of its stop. */
export const RAILS_SUBJECT = "rails";

/** A stored break. It is standing as long as `goneAt` is null. */
export interface AuditBreak extends Break {
  readonly subject: string;
  readonly foundAt: Date;
  readonly goneAt: Date | null;
}

const INSERT = statement(
  "audit_breaks_insert",
  `insert into audit_breaks (subject, check_name, problem)
   select * from unnest($1::text[], $2::text[], $3::text[])
   on conflict (subject, check_name, problem) where gone_at is null do nothing
   returning subject, check_name as check, problem`,
);
const MARK_GONE = statement(
  "audit_breaks_mark_gone",
  `update audit_breaks set gone_at = business_now()
   where gone_at is null and subject = any ($1) and (subject, check_name, problem) not in (
     select * from unnest($2::text[], $3::text[], $4::text[]))`,
);
const LIST = statement(
  "audit_breaks_list",
  `select subject, check_name as check, problem, found_at as "foundAt", gone_at as "goneAt"
   from audit_breaks where gone_at is null or $1 order by found_at desc, id desc limit 1000`,
);
const HAS_STANDING = statement(
  "audit_breaks_has_standing",
  "select exists (select from audit_breaks where gone_at is null) as standing",
);

/**
 * Stores the breaks that were found, and marks standing ones that were not found as gone. Returns the new
 * ones.
 */
export async function storeFindings(
  queryable: Queryable,
  findings: readonly AuditFinding[],
): Promise<Break[]> {
  const subjects = findings.filter(({ isWhole }) => isWhole).map(({ subject }) => subject);
  const rows = findings.flatMap(({ subject, breaks }) =>
    breaks.map(({ check, problem }) => [subject, check, problem] as const),
  );
  const columns = [0, 1, 2].map((column) => rows.map((row) => row[column]));
  const [state] = await queryable.query<{ standing: boolean }>(HAS_STANDING);
  if (state?.standing === true) await queryable.query(MARK_GONE, [subjects, ...columns]);
  return rows.length === 0 ? [] : queryable.query<Break>(INSERT, columns);
}

const INSERT_ONCE = statement(
  "audit_breaks_insert_once",
  `insert into audit_breaks (subject, check_name, problem)
   select $1, $2, $3
   where not exists (
     select from audit_breaks where subject = $1 and check_name = $2 and problem = $3)
   on conflict (subject, check_name, problem) where gone_at is null do nothing
   returning check_name`,
);

/**
 * Stores breaks of a subject, unless the same ones were ever stored. Returns the new ones. Statements overlap, so
 * people who ended a break are not stopped by it again.
 */
export async function storeBreaksOnce(
  queryable: Queryable,
  subject: string,
  breaks: readonly Break[],
): Promise<Break[]> {
  const added: Break[] = [];
  for (const { check, problem } of breaks) {
    const rows = await queryable.query(INSERT_ONCE, [subject, check, problem]);
    if (rows.length > 0) added.push({ check, problem });
  }
  return added;
}

const END_OF_SUBJECT = statement(
  "audit_breaks_end_of_subject",
  "update audit_breaks set gone_at = business_now() where gone_at is null and subject = $1",
);

/** Marks the breaks of a subject as gone, because people decided about them. */
export async function endBreaksOf(queryable: Queryable, subject: string): Promise<void> {
  await queryable.query(END_OF_SUBJECT, [subject]);
}

const END_RAILS = statement(
  "audit_breaks_end_rails",
  `update audit_breaks set gone_at = business_now()
   where gone_at is null and (subject = '${RAILS_SUBJECT}' or subject like 'chain:%') and check_name = $1`,
);

/** Marks the rails' breaks of a check as gone. An audit of recent lines alone cannot find that out. */
export async function endRailBreaks(queryable: Queryable, check: string): Promise<void> {
  await queryable.query(END_RAILS, [check]);
}

/** Lists standing breaks, or all breaks with those that are gone, the newest first. */
export const listBreaks = (
  queryable: Queryable,
  which: "standing" | "all",
): Promise<AuditBreak[]> => queryable.query<AuditBreak>(LIST, [which === "all"]);
