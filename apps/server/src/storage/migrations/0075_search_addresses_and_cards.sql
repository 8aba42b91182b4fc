-- A search by the address that an order pays to or is refunded to, and by the digits of a card, reads an index. The last
-- 16 letters of an address nearly always name one address, and they keep the index small. The newest order comes first.
create index orders_of_destination on orders (right(lower(wallet_address), 16), created_at desc, id desc)
  where wallet_address is not null;
create index orders_of_refund_address on orders (right(lower(refund_address), 16), created_at desc, id desc)
  where refund_address is not null;
create index payment_attempts_of_card on payment_attempts (last_four, created_at desc);
