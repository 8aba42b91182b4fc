import { formatDecimal, parseDecimal } from "@exchange/money";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** `replaced`: a later change of the same rule has taken effect. */
const PRICE_CHANGE_STATUSES = [
  "proposed",
  "scheduled",
  "in_force",
  "replaced",
  "rejected",
] as const;
export type PriceChangeStatus = (typeof PRICE_CHANGE_STATUSES)[number];

/** A proposal to change a price rule, and the decision about it. */
export interface StoredPriceChange {
  readonly id: number;
  readonly reference: string;
  /** Null returns the rule to the catalogue's files. */
  readonly rule: PricingRule | null;
  readonly undoes: number | null;
  readonly reason: string;
  /** Null: as soon as it is approved. */
  readonly wantedFrom: Date | null;
  readonly proposedBy: string;
  readonly proposedAccount: string;
  readonly proposedAt: Date;
  readonly status: PriceChangeStatus;
  readonly effectiveFrom: Date | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly decidedWhy: string | null;
  /** Whether it is the last approved change of its rule, so that it can be undone. */
  readonly isLast: boolean;
}

const LATER = `select from price_changes later where later.reference = c.reference and later.state = 'approved'
  and (later.effective_from, later.id) > (c.effective_from, c.id)`;
const STATUS = `case when c.state <> 'approved' then c.state
  when c.effective_from > business_now() then 'scheduled'
  when exists (${LATER} and later.effective_from <= business_now()) then 'replaced' else 'in_force' end`;
const COLUMNS = `c.id::int, c.reference, c.is_of_files as "isOfFiles", c.merchant_id as "merchantId", c.operation,
  c.payment_method_reference as "paymentMethodReference", c.currency,
  c.spread_basis_points as "spreadBasisPoints", c.fee_basis_points as "feeBasisPoints",
  c.fixed_fee_euro::text as "fixedFeeEuro", c.min_euro::text as "minEuro", c.max_euro::text as "maxEuro", c.enabled,
  c.undoes::int, c.reason, c.wanted_from as "wantedFrom", c.proposed_by as "proposedBy",
  c.proposed_account as "proposedAccount", c.proposed_at as "proposedAt", ${STATUS} as status,
  c.effective_from as "effectiveFrom", c.decided_by as "decidedBy", c.decided_at as "decidedAt",
  c.decided_why as "decidedWhy", c.state = 'approved' and not exists (${LATER}) as "isLast"`;

const INSERT = statement(
  "price_changes_insert",
  `insert into price_changes (reference, is_of_files, merchant_id, operation, payment_method_reference, currency,
     spread_basis_points, fee_basis_points, fixed_fee_euro, min_euro, max_euro, enabled, undoes, reason,
     wanted_from, proposed_by, proposed_account)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   on conflict (reference) where state = 'proposed' do nothing returning id::int`,
);
const FIND = statement(
  "price_changes_find",
  `select ${COLUMNS} from price_changes c where c.id = $1`,
);
const LOCK = statement(
  "price_changes_lock",
  "lock table price_changes in share row exclusive mode",
);
const LIST = statement(
  "price_changes_list",
  `select * from (select ${COLUMNS} from price_changes c where c.id < coalesce($2, 9223372036854775807)) listed
   where status = any ($1::text[]) order by id desc limit $3`,
);
const HISTORY = statement(
  "price_changes_history",
  `select ${COLUMNS} from price_changes c where c.reference = $1 and c.state = 'approved'
   order by c.effective_from, c.id`,
);
const DECIDE = statement(
  "price_changes_decide",
  `update price_changes set state = $2, effective_from = $3, decided_by = $4, decided_account = $5,
     decided_at = business_now(), decided_why = $6 where id = $1 and state = 'proposed' returning id`,
);

type Row = Omit<StoredPriceChange, "rule"> & {
  readonly isOfFiles: boolean;
  readonly merchantId: string | null;
  readonly operation: Operation | null;
  readonly paymentMethodReference: string | null;
  readonly currency: string | null;
  readonly spreadBasisPoints: number;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: string;
  readonly minEuro: string;
  readonly maxEuro: string;
  readonly enabled: boolean;
};

function toChange(row: Row): StoredPriceChange {
  const { isOfFiles, merchantId, operation, paymentMethodReference, currency, ...rest } = row;
  const { spreadBasisPoints, feeBasisPoints, fixedFeeEuro, minEuro, maxEuro, enabled, ...change } =
    rest;
  if (isOfFiles) return { ...change, rule: null };
  const selectors = { merchantId, operation, paymentMethodReference, currency };
  const rule = {
    reference: change.reference,
    ...selectors,
    spreadBasisPoints,
    feeBasisPoints,
    fixedFeeEuro: exact(fixedFeeEuro),
    limits: { minEuro: exact(minEuro), maxEuro: exact(maxEuro) },
    enabled,
    changeId: change.id,
  };
  return { ...change, rule };
}

function exact(text: string) {
  const value = parseDecimal(text);
  if (!value) throw new Error(`A price change has ${text} for an amount.`);
  return value;
}

export interface NewPriceChange
  extends Pick<StoredPriceChange, "reference" | "rule" | "undoes" | "reason" | "wantedFrom"> {
  readonly by: Operator;
}

/** Stores a proposal and returns its id. Returns undefined while another proposal of the rule waits. */
export async function insertPriceChange(
  tx: Tx,
  { reference, rule, undoes, reason, wantedFrom, by }: NewPriceChange,
): Promise<number | undefined> {
  const { minEuro = null, maxEuro = null } = rule?.limits ?? {};
  const amounts = [rule?.fixedFeeEuro ?? null, minEuro, maxEuro];
  const [row] = await tx.query<{ id: number }>(INSERT, [
    reference,
    rule === null,
    ...[rule?.merchantId, rule?.operation, rule?.paymentMethodReference, rule?.currency],
    ...[rule?.spreadBasisPoints, rule?.feeBasisPoints],
    ...amounts.map((amount) => amount && formatDecimal(amount)),
    ...[rule?.enabled, undoes, reason, wantedFrom, by.person, by.account],
  ]);
  return row?.id;
}

/** Finds a change. An id that is not one of a row finds none. */
export async function findPriceChange(
  queryable: Queryable,
  id: number,
): Promise<StoredPriceChange | undefined> {
  const [row] = await queryable.query<Row>(FIND, [id]);
  return row && toChange(row);
}

/**
 * Lets one database transaction at a time propose and decide, because a change is judged together with all others.
 * Nobody waits to read.
 */
export async function lockPriceChanges(tx: Tx): Promise<void> {
  await tx.query(LOCK);
}

export interface PriceChangeFilter {
  readonly statuses: readonly PriceChangeStatus[];
  /** Only changes proposed before the one with this id. */
  readonly olderThan: bigint | null;
  readonly limit: number;
}

/** Lists changes, the latest proposal first. */
export const listPriceChanges = async (
  queryable: Queryable,
  { statuses, olderThan, limit }: PriceChangeFilter,
): Promise<StoredPriceChange[]> =>
  (await queryable.query<Row>(LIST, [statuses, olderThan, limit])).map(toChange);

/** Lists the approved changes of a rule in the order of their effect. */
export const listApprovedChanges = async (
  queryable: Queryable,
  reference: string,
): Promise<StoredPriceChange[]> => (await queryable.query<Row>(HISTORY, [reference])).map(toChange);

export interface PriceDecision {
  readonly id: number;
  readonly state: "approved" | "rejected";
  /** Null when it is rejected. */
  readonly effectiveFrom: Date | null;
  readonly by: Operator;
  readonly why: string | null;
}

/** Records the decision about a proposal. Returns false when it was decided before. */
export async function decidePriceChange(
  tx: Tx,
  { id, state, effectiveFrom, by, why }: PriceDecision,
): Promise<boolean> {
  const values = [id, state, effectiveFrom, by.person, by.account, why];
  return (await tx.query(DECIDE, values)).length > 0;
}
