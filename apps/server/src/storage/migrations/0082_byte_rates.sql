-- A network may charge the bytes of a transaction beside its work, as Tron does. An earlier release measures no such
-- network, and leaves the column as it is.
alter table chain_fee_rates
  -- The network's own coin for a byte of a transaction. Null where bytes cost nothing, or were never measured.
  add column byte_rate numeric(38, 0) check (byte_rate >= 0);
