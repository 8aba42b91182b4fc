import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export interface PayoutApproval {
  readonly person: string;
  readonly at: Date;
}

/** The approvals that count now: of a payout that waits for a screening hit, those of this hit. */
export const COUNTING_APPROVALS = `(select a.intent_id, a.person, a.at from payout_approvals a
     where not exists (select from payout_waits w where w.intent_id = a.intent_id and w.hit is not null)
   union all
   select a.intent_id, a.person, a.at from payout_hit_approvals a
     join payout_waits w on w.intent_id = a.intent_id and w.hit = a.hit)`;

const INSERT = statement(
  "payout_approvals_insert",
  `with given as (select business_now() as at),
     amount as (
       insert into payout_approvals (intent_id, person, account, at)
       select $1, $2, $3, at from given on conflict do nothing returning person),
     hit as (
       insert into payout_hit_approvals (intent_id, hit, person, account, at)
       select w.intent_id, w.hit, $2, $3, given.at from given, payout_waits w
       where w.intent_id = $1 and w.hit is not null on conflict do nothing returning person)
   select person from amount union select person from hit`,
);
const SIGN = statement(
  "payout_approval_signatures_insert",
  `insert into payout_approval_signatures (intent_id, person, key_name, signature)
   values ($1, $2, $3, $4) on conflict do nothing returning key_name`,
);
const LIST = statement(
  "payout_approvals_list",
  `select a.person, a.at from ${COUNTING_APPROVALS} a where a.intent_id = $1 order by a.at, a.person`,
);

/** An approval that an operator signed for the signer, with the name of his key in its policy. */
export interface ApprovalSignature {
  readonly name: string;
  readonly signature: string;
}

/**
 * Records an approval of the payout, and of the screening hit that it waits for. Returns false when the person or the
 * account had given it before.
 */
export async function insertPayoutApproval(
  tx: Tx,
  intentId: string,
  { person, account }: Pick<Operator, "person" | "account">,
): Promise<boolean> {
  return (await tx.query(INSERT, [intentId, person, account])).length > 0;
}

/** Records a signed approval. Returns false when the key had approved the payout before. */
export async function insertApprovalSignature(
  tx: Tx,
  intentId: string,
  { person, name, signature }: ApprovalSignature & Pick<Operator, "person">,
): Promise<boolean> {
  return (await tx.query(SIGN, [intentId, person, name, signature])).length > 0;
}

const COUNT = statement(
  "payout_approvals_count",
  `select intent_id as "intentId", count(*)::int as approvals from payout_approvals
   where intent_id = any($1::uuid[]) group by intent_id`,
);

/** Returns how many people approved each payout; a payout without an approval has no entry. */
export async function countPayoutApprovals(
  queryable: Queryable,
  intentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryable.query<{ intentId: string; approvals: number }>(COUNT, [intentIds]);
  return new Map(rows.map(({ intentId, approvals }) => [intentId, approvals]));
}

const COUNT_OF_HIT = statement(
  "payout_hit_approvals_count",
  "select count(*)::int as approvals from payout_hit_approvals where intent_id = $1 and hit = $2",
);

/** Returns how many people approved the payout although it has the screening hit. */
export async function countHitApprovals(
  queryable: Queryable,
  intentId: string,
  hit: string,
): Promise<number> {
  const [row] = await queryable.query<{ approvals: number }>(COUNT_OF_HIT, [intentId, hit]);
  return row?.approvals ?? 0;
}

const COUNT_ANSWERS = statement(
  "payout_approvals_count_answers",
  `select (select count(*)::int from payout_approvals where intent_id = $1) as people,
     (select count(*)::int from payout_approval_signatures where intent_id = $1) as signatures`,
);

/** How many people approved a payout, and how many signed approvals it has. */
export interface ApprovalAnswers {
  readonly people: number;
  readonly signatures: number;
}

export async function countApprovalAnswers(
  queryable: Queryable,
  intentId: string,
): Promise<ApprovalAnswers> {
  const [row] = await queryable.query<ApprovalAnswers>(COUNT_ANSWERS, [intentId]);
  return row ?? { people: 0, signatures: 0 };
}

/** Lists the people whose approvals of a payout count now, each once, the earliest first. */
export const listPayoutApprovals = (
  queryable: Queryable,
  intentId: string,
): Promise<PayoutApproval[]> => queryable.query<PayoutApproval>(LIST, [intentId]);
