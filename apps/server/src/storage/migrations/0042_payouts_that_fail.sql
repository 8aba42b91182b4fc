-- A signed payout may end without a payment in three ways: its rail rejected it, its transaction was mined and
-- moved nothing, or a transaction that we did not sign has its place.
alter table payout_intents add constraint payout_intents_void_reason
  check (void_reason in ('rejected', 'withdrawn', 'failed', 'dead'));
