-- Each filter of a merchant's list of orders has an index that gives its page in order: the first page
-- costs the same however many orders there are. A session has one order: its constraint is index enough.

create index orders_by_status on orders (merchant_id, status, created_at desc, id desc);
create index orders_by_operation on orders (merchant_id, operation, created_at desc, id desc);
create index orders_by_status_and_operation
  on orders (merchant_id, status, operation, created_at desc, id desc);
