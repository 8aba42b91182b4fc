-- Invitations by mail, and receipts that wait no longer
-- (docs/decisions/0104-seal-links-that-wait-to-be-mailed.md, 0097-send-mail-from-an-outbox.md).

-- The language of mails to a person: those of the console.
alter table people add column language text not null default 'en' check (language in ('en', 'de'));

-- An invitation is mailed once. A new link is a new invitation, and its mail goes away with it.
create table invitation_mails (
  id uuid primary key references invitations (id) on delete cascade,
  -- Sealed with the secret keys of the service. Null once the mail has ended.
  link_sealed bytea,
  created_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz not null default clock_timestamp(),
  last_fault text,
  ended_at timestamptz,
  outcome text check (outcome in ('sent', 'refused', 'dropped')),
  check ((ended_at is null) = (outcome is null)),
  check ((ended_at is null) = (link_sealed is not null))
);
create index invitation_mails_waiting on invitation_mails (next_attempt_at) where ended_at is null;

-- The receipt of a cancelled or expired order is put aside, with 'infinity' as its next attempt. Late money may bring
-- such an order back, and then its receipt waits for it again.
create function resume_receipts() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update mails set next_attempt_at = clock_timestamp()
    where order_id = new.id and kind = 'receipt' and ended_at is null;
  return null;
end $$;
revoke all on function resume_receipts() from public;
create trigger orders_resume_receipts after update of status on orders for each row
  when (old.status in ('cancelled', 'expired') and new.status <> old.status)
  execute function resume_receipts();

-- The end that a key's creator chose. A roll ends a key sooner, and the key that replaces it has the chosen end. The log
-- of changes has the limits of a key before its first roll.
alter table api_keys add column chosen_expires_at timestamptz;
update api_keys set chosen_expires_at = expires_at where expires_at is not null;
update api_keys k set chosen_expires_at = (roll.before ->> 'expiresAt')::timestamptz
  from (select distinct on (subject) subject, before from control_log where action = 'roll_key'
    order by subject, id) roll
  where roll.subject = k.id;
