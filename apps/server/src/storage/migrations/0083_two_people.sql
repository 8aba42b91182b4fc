-- Another refund address takes the customer, who asks for it, and two people of the operator, who approve it.
create table refund_address_approvals (
  order_id bigint not null references orders (id),
  address text not null check (address <> ''),
  -- Empty where the address has no memo.
  memo text not null,
  person text not null check (person <> ''),
  account text not null check (account <> ''),
  at timestamptz not null default business_now(),
  primary key (order_id, address, memo, person),
  constraint refund_address_approvals_account unique (order_id, address, memo, account)
);
create trigger refund_address_approvals_insert_only before update or delete on refund_address_approvals
  for each row execute function refuse_change();

create or replace function guard_refund_address() returns trigger language plpgsql as $$
begin
  if (new.refund_address, new.refund_memo)
     is distinct from (old.requested_refund_address, old.requested_refund_memo)
     or not has_table_privilege(session_user, 'payout_intents', 'insert') then
    raise exception 'a refund address is replaced only as the customer asked and the operator approved'
      using errcode = 'check_violation', constraint = 'orders_refund_address';
  end if;
  if (select count(*) from refund_address_approvals approval
      where (approval.order_id, approval.address, approval.memo)
        = (new.id, new.refund_address, coalesce(new.refund_memo, ''))) < 2 then
    raise exception 'a refund address is replaced only when two people approved it'
      using errcode = 'check_violation', constraint = 'orders_refund_address';
  end if;
  return new;
end $$;

-- A stop of all payouts or of a rail takes two people, like those that the service sets. A person's stop does not replace the
-- service's: its reason stays, and so do the people who agreed to end it.
create or replace function put_stop(stop_kind text, stop_subject text, why text, person text, people smallint,
  log_subject text, os_user text, sudo_user text, account text, person_id uuid default null,
  address text default null, service_account_id text default null) returns boolean language plpgsql as $$
declare
  earlier jsonb;
begin
  select jsonb_build_object('reason', reason, 'setBy', set_by, 'peopleToResume', people_to_resume)
    into earlier from stops where kind = stop_kind and subject = stop_subject;
  insert into stops as stop (kind, subject, reason, set_by, people_to_resume)
    values (stop_kind, stop_subject, why, person, people)
    on conflict (kind, subject) do update set reason = excluded.reason,
      set_by = excluded.set_by, people_to_resume = excluded.people_to_resume
    where excluded.people_to_resume > stop.people_to_resume
      or (excluded.people_to_resume = stop.people_to_resume and excluded.reason <> stop.reason
        and (stop.set_by not in ('auditor', 'system') or excluded.set_by in ('auditor', 'system')));
  if not found then
    return false;
  end if;
  delete from stop_resumes where kind = stop_kind and subject = stop_subject;
  insert into control_log (person, action, subject, details, os_user, sudo_user, account, before, after,
      person_id, address, service_account_id)
    values (person, 'stop', log_subject, jsonb_build_object('reason', why), os_user, sudo_user, account, earlier,
      jsonb_build_object('reason', why, 'setBy', person, 'peopleToResume', people), person_id, address,
      service_account_id);
  return true;
end $$;
