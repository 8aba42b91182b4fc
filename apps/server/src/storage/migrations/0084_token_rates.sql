-- A payment of a token may have another rate than one of the network's own coin, as on Solana. An earlier release measures no
-- such rate, and leaves the column as it is.
alter table chain_fee_rates
  -- The network's own coin for one unit of work of a token's transfer. Null where it is that of other transfers.
  add column token_rate numeric(38, 0) check (token_rate >= 0);
