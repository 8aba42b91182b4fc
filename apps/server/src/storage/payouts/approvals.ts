import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export interface PayoutApproval {
  readonly person: string;
  readonly at: Date;
}

const INSERT = statement(
  "payout_approvals_insert",
  `insert into payout_approvals (intent_id, person, account) values ($1, $2, $3)
   on conflict do nothing returning person`,
);
const SIGN = statement(
  "payout_approval_signatures_insert",
  `insert into payout_approval_signatures (intent_id, person, key_name, signature)
   values ($1, $2, $3, $4) on conflict do nothing returning key_name`,
);
const LIST = statement(
  "payout_approvals_list",
  "select person, at from payout_approvals where intent_id = $1 order by at, person",
);

/** An approval that an operator signed for the signer, with the name of his key in its policy. */
export interface ApprovalSignature {
  readonly name: string;
  readonly signature: string;
}

/** Records an approval. Returns false when the person or the account had approved the payout before. */
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

/** Lists the people who approved a payout, each once, the earliest first. */
export const listPayoutApprovals = (
  queryable: Queryable,
  intentId: string,
): Promise<PayoutApproval[]> => queryable.query<PayoutApproval>(LIST, [intentId]);
