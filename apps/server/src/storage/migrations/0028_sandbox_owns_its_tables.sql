-- The sandbox's books belong to the sandbox's own migrations, which `prod` never applies. An installation whose
-- books are empty loses them here; a sandbox creates them again at once. Books in use stay as they are.
do $$
begin
  if not exists (select from sandbox.cards) and not exists (select from sandbox.chain_deposits)
    and not exists (select from sandbox.chain_transactions)
    and not exists (select from sandbox.bank_transfers)
    and not exists (select from sandbox.bank_payouts)
    and not exists (select from sandbox.destination_tags)
  then
    drop schema sandbox cascade;
  end if;
  if not exists (select from webhook_faults) then
    drop table webhook_faults;
  end if;
end
$$;
