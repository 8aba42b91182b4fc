-- A person takes an order in review, and others see who has it. The key lets one person take it.
create table order_reviewers (
  order_id bigint primary key references orders (id),
  person text not null check (person <> ''),
  -- The account that counts as one person.
  account text not null check (account <> ''),
  taken_at timestamptz not null default business_now()
);
create index order_reviewers_of_account on order_reviewers (account);

-- An order that leaves review is nobody's. Under review again, it is free to take.
create function end_review() returns trigger language plpgsql as $$
begin
  delete from order_reviewers where order_id = new.id;
  return null;
end $$;
create trigger orders_review_ends after update on orders for each row
  when (old.status = 'in_review' and new.status <> 'in_review')
  execute function end_review();

-- The lists of the operator by status and its reason, of all merchants and of one: each index has the page in order.
-- Most orders have no reason and are not in the other two.
create index orders_of_status on orders (status, created_at desc, id desc);
drop index orders_in_review;
create index orders_of_reason on orders (status, status_reason, created_at desc, id desc)
  where status_reason is not null;
create index orders_of_merchants_reason on orders (merchant_id, status, status_reason, created_at desc, id desc)
  where status_reason is not null;
