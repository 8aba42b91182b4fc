-- A customer may write an address in another case than we do, and a refund may not go to an address of ours.
create index chain_addresses_in_any_case on chain_addresses (network_code, lower(address));
