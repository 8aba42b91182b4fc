-- Lists go by the moment a delivery was made, so that those of a span of time are read from its end on;
-- in the order of their numbers, everything that is newer was read first.
drop index deliveries_number;
create index deliveries_listed on deliveries (merchant_id, created_at, number);

-- Few among many: without an index of their own, a list of them reads on until its page is full.
create index deliveries_given_up on deliveries (merchant_id, state, created_at, number)
  where state in ('exhausted', 'dropped');
