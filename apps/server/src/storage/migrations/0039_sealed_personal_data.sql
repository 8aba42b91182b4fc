-- Personal data is sealed with data keys, and each data key with the service's own key. A session and the order
-- placed in it share a key. To destroy a key is to erase the data: no row of an order has to change for it.
-- See docs/decisions/0059-seal-personal-data-with-a-key-for-each-checkout.md.
create table data_keys (
  merchant_id text not null,
  kind text not null check (kind in ('session', 'wallet')),
  -- The id of the session, or the currency and the normalized address of the wallet.
  row_key text not null,
  sealed bytea not null,
  -- Keyed digests of the merchant's reference and of the e-mail address, by which a customer is found.
  reference_digest bytea check (octet_length(reference_digest) = 16),
  email_digest bytea check (octet_length(email_digest) = 16),
  created_at timestamptz not null default business_now(),
  -- Since when the data is kept for the law alone: nothing reads it but an export for the authorities.
  locked_at timestamptz,
  primary key (merchant_id, kind, row_key)
);
create index data_keys_reference on data_keys (merchant_id, reference_digest)
  where reference_digest is not null;
create index data_keys_email on data_keys (merchant_id, email_digest) where email_digest is not null;
-- For destroying keys whose time is over; rows come in the order of time.
create index data_keys_created on data_keys using brin (created_at);

-- The sealed columns. Those of before (customer, metadata, payout_sealed, payout_shown, return_url, first_name,
-- last_name, billing_address) are written no more: the next start seals what they hold and empties them.
alter table sessions add column personal bytea;
alter table orders add column personal bytea;
alter table wallets add column personal bytea;
alter table payment_attempts
  add column billing_sealed bytea,
  alter column billing_address drop not null;

-- What is still to be sealed. New rows are in none of these indexes.
create index sessions_unsealed on sessions (merchant_id, session_id)
  where customer <> '{}' or metadata <> '{}' or return_url is not null;
create index orders_unsealed on orders (id) where personal is null;
create index wallets_unsealed on wallets (merchant_id, id) where first_name <> '' or last_name <> '';
create index payment_attempts_unsealed on payment_attempts (id) where billing_address is not null;

create or replace function guard_order() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not exists (
    select 1 from order_moves where from_status = old.status and to_status = new.status
  ) then
    raise exception 'an order cannot go from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'order_moves';
  end if;
  if (new.id, new.merchant_id, new.session_id, new.operation, new.spend_asset_id,
      new.spend_units, new.receive_asset_id, new.payment_method_id, new.delivery_method_id)
     is distinct from
     (old.id, old.merchant_id, old.session_id, old.operation, old.spend_asset_id,
      old.spend_units, old.receive_asset_id, old.payment_method_id, old.delivery_method_id)
     or (new.wallet_address, new.network_code, new.memo)
     is distinct from (old.wallet_address, old.network_code, old.memo) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The price changes only while the order waits for the customer's answer, and only to one that was used for it.
  if (new.quote_id, new.receive_units) is distinct from (old.quote_id, old.receive_units)
     and not (old.status = 'in_review' and old.status_reason = 'rate_moved'
       and old.held_from = 'processing' and new.status = 'processing'
       and exists (select from quotes q where q.id = new.quote_id
         and q.consumed_by_order_id = new.id and q.reprices_order_id = new.id
         and q.receive_units = new.receive_units)) then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  -- The fields of the payout are a promise too. They are sealed once, and stay.
  if old.personal is not null
     and (new.personal, new.payout_sealed) is distinct from (old.personal, old.payout_sealed)
     or new.personal is null and new.payout_sealed is distinct from old.payout_sealed then
    raise exception 'what an order promises cannot be changed' using errcode = 'check_violation';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'an order changes one version at a time' using errcode = 'check_violation';
  end if;
  return new;
end $$;
