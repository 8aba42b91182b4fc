-- PostgreSQL 15 and 16 let nobody lock a table against writers who may not change its rows, and a worker only adds entries.
create function lock_ledger_entries() returns void language plpgsql
  security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  lock table ledger_entries in share mode;
end $$;
revoke execute on function lock_ledger_entries from public;
