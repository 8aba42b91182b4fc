-- Another refund address needs the customer's request and the approval of two of the operator's people.
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
create trigger refund_address_approvals_fixed before update on refund_address_approvals
  for each row execute function refuse_change();

-- An approval is one of a request, and ends with it: the same address that is asked for later is approved anew.
create function end_refund_address_approvals() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from refund_address_approvals where order_id = new.id;
  return null;
end $$;
create trigger orders_refund_request_ended after update on orders
  for each row when (new.requested_refund_address is distinct from old.requested_refund_address
    or new.requested_refund_memo is distinct from old.requested_refund_memo)
  execute function end_refund_address_approvals();

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

-- A stop of all payouts or of a rail needs two people to end it, like those that the service sets.
update stops set people_to_resume = 2 where kind in ('all', 'rail');

-- A person's stop does not replace one of the service, whose reason stays. It is logged, and people have to agree again.
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
    perform from stops stop where stop.kind = stop_kind and stop.subject = stop_subject
      and stop.set_by in ('auditor', 'system') and stop.reason <> why;
    if not found then
      return false;
    end if;
  end if;
  delete from stop_resumes where kind = stop_kind and subject = stop_subject;
  insert into control_log (person, action, subject, details, os_user, sudo_user, account, before, after,
      person_id, address, service_account_id)
    values (person, 'stop', log_subject, jsonb_build_object('reason', why), os_user, sudo_user, account, earlier,
      (select jsonb_build_object('reason', reason, 'setBy', set_by, 'peopleToResume', people_to_resume)
         from stops where kind = stop_kind and subject = stop_subject), person_id, address, service_account_id);
  return true;
end $$;
