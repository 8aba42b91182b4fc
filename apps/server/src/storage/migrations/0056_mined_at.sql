-- A payment in no block can be withdrawn by its sender, so it locks no rate. The time of its first block counts.
alter table deposits add column mined_at timestamptz;
update deposits set mined_at = created_at where rail = 'chain' and block_hash is not null;
