-- A payout above a limit of the signer waits for people, and one whose rail cannot go on does not.
alter table payout_waits
  drop constraint payout_waits_code_check,
  add constraint payout_waits_code_check check (code in
    ('approvals', 'screening_hit', 'hour_limit', 'day_limit', 'payout_limit', 'signer', 'stop', 'rail'));
