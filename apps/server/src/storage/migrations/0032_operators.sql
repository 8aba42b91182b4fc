-- The log of operators' commands records the system's account beside the name that a person gave, and the
-- state before and after. Two people are two accounts of the system.

alter table control_log
  -- The user that the command ran as. Null for the service itself.
  add column os_user text check (os_user <> ''),
  -- The user that called sudo, as sudo reported it.
  add column sudo_user text check (sudo_user <> ''),
  -- The account that counts as one person.
  add column account text check (account <> ''),
  add column before jsonb,
  add column after jsonb;
create index control_log_subject on control_log (subject, id);

-- A row counts as one person, so its name and its account are both unique. Names of before count as accounts.
alter table stop_resumes add column account text check (account <> '');
update stop_resumes set account = person;
alter table stop_resumes alter column account set not null,
  add constraint stop_resumes_account unique (kind, subject, account);

-- The rows are insert-only, so the column is filled while the trigger is off.
alter table payout_approvals add column account text check (account <> '');
alter table payout_approvals disable trigger payout_approvals_insert_only;
update payout_approvals set account = person;
alter table payout_approvals enable trigger payout_approvals_insert_only;
alter table payout_approvals alter column account set not null,
  add constraint payout_approvals_account unique (intent_id, account);
