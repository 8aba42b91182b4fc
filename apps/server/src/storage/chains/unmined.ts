import { type Queryable, statement } from "../postgres/database.ts";

// A coin of a send that was signed may be spent by our own transaction.
const LIST_COINS = statement(
  "chain_coins_list_unsigned",
  `select outpoint, units::text as units from chain_coins coin
   where network_code = $1 and height is not null and spent_by is null and not exists (
     select from chain_transactions t where t.send_id = coin.send_id)
   order by outpoint`,
);
const LIST_PLACES = statement(
  "chain_sends_list_signed_places",
  `select send.place::text as place from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = $1 and wallet.role = 'hot' and send.place = any($2::bigint[])
     and exists (select from chain_transactions t where t.send_id = send.id)`,
);

export interface UnsignedCoin {
  readonly outpoint: string;
  readonly units: bigint;
}

/** Lists the coins of the hot wallet in blocks for which the database has no transaction that spends them. */
export async function listUnsignedCoins(
  queryable: Queryable,
  networkCode: string,
): Promise<readonly UnsignedCoin[]> {
  const rows = await queryable.query<{ outpoint: string; units: string }>(LIST_COINS, [
    networkCode,
  ]);
  return rows.map(({ outpoint, units }) => ({ outpoint, units: BigInt(units) }));
}

/** Returns those of the hot wallet's places for which the database has no transaction. */
export async function findUnsignedPlaces(
  queryable: Queryable,
  networkCode: string,
  places: readonly bigint[],
): Promise<readonly bigint[]> {
  const rows = await queryable.query<{ place: string }>(LIST_PLACES, [networkCode, places]);
  const signed = new Set(rows.map(({ place }) => BigInt(place)));
  return places.filter((place) => !signed.has(place));
}
