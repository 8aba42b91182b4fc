-- All orders of a network with memos share one deposit address. A search by that address reads the newest of each merchant.
create index payment_instructions_of_shared_address on payment_instructions (address, merchant_id, created_at desc)
  where rail = 'chain' and memo is not null;
