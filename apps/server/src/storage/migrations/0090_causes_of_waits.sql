-- The cause for which a payout waits, for programs and translations. `why` is the same in words. An earlier version names none.
alter table payout_waits
  add column code text not null default 'rail' check (code in
    ('approvals', 'screening_hit', 'hour_limit', 'day_limit', 'payout_limit', 'stop', 'rail')),
  add column limit_cents bigint,
  add column limit_of text;
