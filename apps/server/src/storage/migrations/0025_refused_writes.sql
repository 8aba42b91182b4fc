-- A statement calls this where the rows it was decided on have changed. Nothing is written, and the
-- database transaction is not run again: SQLSTATE EX001 is the service's own, so that callers recognise a
-- refusal by its code and not by its message.
create function refuse_write(why text) returns bigint language plpgsql as $$
begin
  raise exception '%', why using errcode = 'EX001';
end $$;
