import { joinTag, type TaggedAddress } from "../../domain/wallets/tagged-address.ts";
import { xrpAccountOf } from "../../domain/wallets/xrp-address.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { integer, table, text } from "../postgres/table.ts";

export const CHAIN_ADDRESSES = table({
  network_code: text(),
  reference: text(),
  account_fingerprint: text(),
  key_index: integer(),
  address: text(),
});

/** A deposit address, and the key that leads to it. */
export interface ChainAddress {
  readonly networkCode: string;
  readonly reference: string;
  readonly accountFingerprint: string;
  readonly keyIndex: number;
  readonly address: string;
}

/** Late money of an order is looked for during 30 days after its payment window, and windows are short. */
const WATCHED_DAYS = 45;
/** The address of an order that stays open longer is watched for longer, so that these 30 days always remain. */
const WATCHED_DAYS_LEFT_MIN = 31;

const NEXT_INDEX = statement(
  "chain_addresses_next_index",
  "select nextval('chain_key_index')::integer as index",
);
const INSERT = statement(
  "chain_addresses_insert",
  `insert into chain_addresses (${CHAIN_ADDRESSES.names}, watched_until)
   values ($1, $2, $3, $4, $5, business_now() + interval '${WATCHED_DAYS} days')
   on conflict do nothing`,
);
const KEEP_WATCHED = statement(
  "chain_addresses_keep_watched",
  `update chain_addresses set watched_until = business_now() + interval '${WATCHED_DAYS} days'
   where network_code = $1 and reference = $2
     and watched_until < business_now() + interval '${WATCHED_DAYS_LEFT_MIN} days'`,
);
const FIND = statement(
  "chain_addresses_find",
  `select ${CHAIN_ADDRESSES.names} from chain_addresses where network_code = $1 and reference = $2`,
);
const LIST_NEWEST = statement(
  "chain_addresses_list_newest",
  `select ${CHAIN_ADDRESSES.names} from chain_addresses where network_code = $1
   order by key_index desc limit $2`,
);
const IS_OURS = statement(
  "chain_addresses_is_ours",
  "select true as found from chain_addresses where network_code = $1 and lower(address) = lower($2)",
);
const IS_WATCHED = "watched_until > business_now() or has_coins";
const WATCHED = statement(
  "chain_addresses_watched",
  // A process that answers requests writes addresses. A row with our hot wallet's would credit a refill to an order.
  `select address from chain_addresses a
   where network_code = $1 and (${IS_WATCHED})
     and not exists (select from chain_wallets w
       where w.network_code = a.network_code and lower(w.address) = lower(a.address) and w.role in ('hot', 'gas'))
   order by key_index`,
);
const EXPLAINED_BALANCES = statement(
  "chain_addresses_explained_balances",
  `select a.address, coalesce(sum(moved.units), 0)::text as units
   from chain_addresses a left join lateral (
     select m.units, m.state from chain_movements m
     where m.network_code = a.network_code and m.address = a.address and m.asset_id = $3
       and m.state in ('seen', 'final')
     union all
     select m.units, m.state from chain_wallet_movements m
     where m.network_code = a.network_code and m.address = a.address and m.asset_id = $3
       and m.state in ('seen', 'final')) moved on true
   where a.network_code = $1 and a.account_fingerprint = $2 and (${IS_WATCHED})
   group by a.address having bool_and(moved.state is distinct from 'seen')`,
);

/** Takes a number that no other address has. Gaps are harmless. */
export async function takeKeyIndex(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ index: number }>(NEXT_INDEX);
  if (!row) throw new Error("the sequence of key indexes returned no number");
  return row.index;
}

/** Stores the address, unless its reference has one already, or another reference has this one. */
export async function insertAddress(queryable: Queryable, address: ChainAddress): Promise<void> {
  const { networkCode, reference, accountFingerprint, keyIndex } = address;
  await queryable.write(INSERT, [
    networkCode,
    reference,
    accountFingerprint,
    keyIndex,
    address.address,
  ]);
}

/** Continues to watch the address of an open order. Writes nothing while enough days are left. */
export async function keepAddressWatched(
  queryable: Queryable,
  key: Pick<ChainAddress, "networkCode" | "reference">,
): Promise<void> {
  await queryable.write(KEEP_WATCHED, [key.networkCode, key.reference]);
}

export async function findAddress(
  queryable: Queryable,
  key: Pick<ChainAddress, "networkCode" | "reference">,
): Promise<ChainAddress | undefined> {
  const [row] = await queryable.query(FIND, [key.networkCode, key.reference]);
  return row === undefined ? undefined : CHAIN_ADDRESSES.read(row);
}

/**
 * Returns whether it is one of our deposit addresses, of any order and in any case of its letters. An X-address encodes the
 * account and the tag that our row names.
 */
export async function isDepositAddress(
  queryable: Queryable,
  { networkCode, address, memo }: { readonly networkCode: string } & TaggedAddress,
): Promise<boolean> {
  const name = joinTag(xrpAccountOf(address) ?? { address, memo });
  return (await queryable.query(IS_OURS, [networkCode, name])).length > 0;
}

/** Lists the addresses of a network, the newest first. */
export async function listNewestAddresses(
  queryable: Queryable,
  networkCode: string,
  limit: number,
): Promise<readonly ChainAddress[]> {
  return (await queryable.query(LIST_NEWEST, [networkCode, limit])).map(CHAIN_ADDRESSES.read);
}

/** Lists the addresses that may still be paid, or that have coins. */
export async function listWatchedAddresses(
  queryable: Queryable,
  networkCode: string,
): Promise<readonly string[]> {
  const rows = await queryable.query<{ address: string }>(WATCHED, [networkCode]);
  return rows.map(({ address }) => address);
}

/**
 * Returns the units that the movements of watched addresses explain, by address. Addresses of another account are left
 * out, and those with a movement that is not final.
 */
export async function readExplainedBalances(
  queryable: Queryable,
  networkCode: string,
  { accountFingerprint, assetId }: Pick<ChainAddress, "accountFingerprint"> & { assetId: number },
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await queryable.query<{ address: string; units: string }>(EXPLAINED_BALANCES, [
    networkCode,
    accountFingerprint,
    assetId,
  ]);
  return new Map(rows.map(({ address, units }) => [address, BigInt(units)]));
}
