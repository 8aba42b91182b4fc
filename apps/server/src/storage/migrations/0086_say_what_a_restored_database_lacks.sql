-- The reason of the stop is read by operators, so it says what the database lacks.
create or replace function declare_restored(why text, last_mark bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from history for update;
  perform setval('order_numbers', last_value + 1000000) from order_numbers;
  perform setval('chain_key_index', last_value + 1000000) from chain_key_index;
  update history set restored_at = coalesce(restored_at, clock_timestamp()),
    restored_why = coalesce(restored_why, why),
    compared_until = coalesce(compared_until, (select rails_compared_at from audit_progress),
      (select created_at from installation), 'epoch'), cluster = ledger_cluster(),
    -- The marks of several processes may differ by some.
    mark = greatest(mark, last_mark) + 1000;
  delete from person_sessions;
  delete from invitations;
  update service_accounts set revoked_at = clock_timestamp() where revoked_at is null;
  perform put_stop('all', '', 'the database lacks payments or orders that were already made: ' || why, 'auditor', 2::smallint,
    'all payouts', null, null, null);
end $$;
