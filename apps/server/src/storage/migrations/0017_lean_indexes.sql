-- Unique indexes keep no row for what has no value: most quotes are not consumed, hardly any entry is a
-- reversal, and only payouts on chains take a place in a wallet's sequence.

create unique index quotes_one_order on quotes (consumed_by_order_id)
  where consumed_by_order_id is not null;
alter table quotes drop constraint quotes_consumed_by_order_id_key;
-- Quotes that nobody took, for clearing them away.
create index quotes_unconsumed on quotes (expires_at) where consumed_by_order_id is null;

create unique index ledger_entries_reversed_once on ledger_entries (reverses)
  where reverses is not null;
alter table ledger_entries drop constraint ledger_entries_reverses_key;

create unique index payout_intents_place on payout_intents (network_code, nonce)
  where nonce is not null;
drop index payout_intents_nonce;
