-- The console lists sweeps and top-ups, the newest first.
create index chain_sends_moves on chain_sends (created_at) where purpose in ('sweep', 'top_up');
