-- The time until a payment by this method arrives. Null means unknown.
alter table payment_methods
  add column min_days integer check (min_days >= 0),
  add column max_days integer check (max_days >= min_days);
