-- What a statement calls where it finds that its snapshot is too old: its database transaction runs
-- again, as after any serialization failure.
create function run_again(why text) returns bigint language plpgsql as $$
begin
  raise exception '%', why using errcode = 'serialization_failure';
end $$;
