-- Reads every posting and entry once, in a database transaction of its own: writers go on meanwhile. A row
-- that breaks a foreign key stops the migration, and the error names it.
alter table ledger_postings validate constraint ledger_postings_of_entry;
alter table ledger_postings validate constraint ledger_postings_on_account;
alter table ledger_entries validate constraint ledger_entries_in_asset;
alter table ledger_entries validate constraint ledger_entries_of_known_order;
