-- The fee markets of live networks, as a worker measured them (docs/operating/chains.md). Processes that answer
-- requests read these rows in the background, and ask no endpoint.
create table chain_fee_rates (
  network_code text primary key,
  -- The network's own coin for one unit of work, such as wei for one gas. Null until it was measured.
  rate numeric(38, 0) check (rate >= 0),
  measured_at timestamptz,
  -- When a worker last began to measure. Of all workers, one measures in each period.
  begun_at timestamptz not null,
  -- Why the last measurement failed. Null after one that did not.
  problem text,
  check ((rate is null) = (measured_at is null))
);

-- A large deposit needs more confirmations than a small one, above an amount in euro. A network has both columns
-- or neither.
alter table networks
  add column large_above_euro numeric check (large_above_euro >= 0),
  add column large_confirmations integer check (large_confirmations >= confirmations),
  add check ((large_above_euro is null) = (large_confirmations is null));

-- The confirmations that make the deposit final, decided when it was first seen. Money at the same address may raise
-- the number, and nothing lowers it. Null where the rail's own word decides, as of a bank.
alter table deposits add column confirmations_required integer check (confirmations_required > 0);
