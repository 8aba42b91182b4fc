import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export interface PayoutApproval {
  readonly person: string;
  readonly at: Date;
}

const INSERT = statement(
  "payout_approvals_insert",
  `insert into payout_approvals (intent_id, person) values ($1, $2)
   on conflict do nothing returning person`,
);
const LIST = statement(
  "payout_approvals_list",
  "select person, at from payout_approvals where intent_id = $1 order by at, person",
);

/** Notes that a person approved the payout; false when the same person had already. */
export async function insertPayoutApproval(
  tx: Tx,
  intentId: string,
  person: string,
): Promise<boolean> {
  return (await tx.query(INSERT, [intentId, person])).length > 0;
}

/** Lists the people who approved a payout, each once, in order. */
export const listPayoutApprovals = (
  queryable: Queryable,
  intentId: string,
): Promise<PayoutApproval[]> => queryable.query<PayoutApproval>(LIST, [intentId]);
