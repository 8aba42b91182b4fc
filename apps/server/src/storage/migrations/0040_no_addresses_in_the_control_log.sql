-- The log of operators' commands is permanent, so it holds no address of a customer. An order holds its addresses.
-- `maskAddress` in flows/orders/operator-action.ts writes the same form.
create function pg_temp.mask_address(address text) returns text language sql immutable as $$
  select case when length(address) < 16 then '…' || right(address, 2)
    else left(address, 6) || '…' || right(address, 4) end
$$;
create function pg_temp.mask_member(state jsonb, member text) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(state -> member) = 'string'
    then jsonb_set(state, array[member], to_jsonb(pg_temp.mask_address(state ->> member)))
    else state end
$$;
-- The rows are insert-only, so they are masked while the trigger is off.
alter table control_log disable trigger control_log_insert_only;
update control_log set
  details = pg_temp.mask_member(pg_temp.mask_member(details, 'address'), 'memo'),
  before = pg_temp.mask_member(before, 'refundAddress'),
  after = pg_temp.mask_member(after, 'refundAddress')
where details ?| array['address', 'memo'] or before ? 'refundAddress' or after ? 'refundAddress';
alter table control_log enable trigger control_log_insert_only;
