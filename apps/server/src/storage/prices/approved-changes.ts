/** The columns of `price_changes` that a price consists of. People and reasons are not for the API. */
export const PRICE_CHANGE_COLUMNS = [
  ...["id", "reference", "is_of_files", "merchant_id", "operation", "payment_method_reference"],
  ...["currency", "spread_basis_points", "fee_basis_points", "fixed_fee_euro", "min_euro"],
  ...["max_euro", "enabled", "state", "effective_from"],
].join(", ");

/** A process whose clock is behind the database's by less than this still finds the rule of its own time. */
const OVERLAP = "interval '1 hour'";

const JSON_OF_CHANGE = `jsonb_build_object('id', id, 'reference', reference, 'is_of_files', is_of_files,
  'merchant_id', merchant_id, 'operation', operation, 'payment_method_reference', payment_method_reference,
  'currency', currency, 'spread_basis_points', spread_basis_points, 'fee_basis_points', fee_basis_points,
  'fixed_fee_euro', fixed_fee_euro::text, 'min_euro', min_euro::text, 'max_euro', max_euro::text, 'enabled', enabled,
  'effective_ms', (extract(epoch from effective_from) * 1000)::text)`;

/**
 * SQL that selects approved changes as a JSON array: of each rule the one in force, and every one that takes
 * effect later.
 */
export const APPROVED_CHANGES = `(select coalesce(jsonb_agg(${JSON_OF_CHANGE} order by id), '[]') from (
  (select distinct on (reference) ${PRICE_CHANGE_COLUMNS} from price_changes
     where state = 'approved' and effective_from <= business_now() - ${OVERLAP}
     order by reference, effective_from desc, id desc)
  union all
  select ${PRICE_CHANGE_COLUMNS} from price_changes
    where state = 'approved' and effective_from > business_now() - ${OVERLAP}) as change)`;
