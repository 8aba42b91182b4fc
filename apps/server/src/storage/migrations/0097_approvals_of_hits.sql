-- The screening hit that the payout waits for. Null where it waits for another cause.
alter table payout_waits add column hit text check (hit <> '');

-- An approval covers the hit that the payout waits for when it is given. A later hit needs approvals of its own, also by people who approved the amount before.
create table payout_hit_approvals (
  intent_id uuid not null references payout_intents (id),
  hit text not null check (hit <> ''),
  person text not null check (person <> ''),
  account text not null check (account <> ''),
  at timestamptz not null default business_now(),
  primary key (intent_id, hit, person),
  unique (intent_id, hit, account)
);
create trigger payout_hit_approvals_insert_only before update or delete on payout_hit_approvals
  for each row execute function refuse_change();
