-- The last question to the signer about a sweep or a top-up. Of two processes that ask, only the refusal of the later
-- question says that nothing is signed: the other may have been asked in between, and signed.
alter table chain_sends add column asked_by uuid;
