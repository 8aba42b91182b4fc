-- A restored database does not know the positions that it gave to events since. If it gave one again, a merchant that
-- had read up to it would never see the new event. So feeds jump ahead too, also one that nobody had read before.
create or replace function declare_restored(why text, last_mark bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from history for update;
  perform setval('order_numbers', last_value + 1000000) from order_numbers;
  perform setval('chain_key_index', last_value + 1000000) from chain_key_index;
  insert into event_feeds as feed (merchant_id, last_position) select id, 1000000 from merchants
    on conflict (merchant_id) do update set last_position = feed.last_position + 1000000;
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
