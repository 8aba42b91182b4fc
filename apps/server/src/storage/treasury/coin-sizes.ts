import { type Queryable, statement } from "../postgres/database.ts";

// Coins in blocks that no block spends. The digits of the units name the size, because logarithms are not exact.
const LIST = statement(
  "coin_sizes_list",
  `select wallet.network_code as "networkCode", asset.id as "assetId", length(coin.units::text) as digits,
     count(*)::int as count, sum(coin.units)::text as units,
     (count(*) filter (where send.purpose = 'rebalance' and send.state in ('bound', 'signed', 'sent')))::int as consolidating
   from chain_wallets wallet
     join currencies asset on asset.network_code = wallet.network_code and asset.contract_address is null
     join chain_coins coin on coin.network_code = wallet.network_code
       and coin.account = coalesce(wallet.account, coin.account)
     left join chain_sends send on send.id = coin.send_id
   where wallet.kind = 'coins' and wallet.role = 'hot' and wallet.state = 'open'
     and coin.spent_by is null and coin.height is not null
   group by wallet.network_code, asset.id, digits order by wallet.network_code, digits desc`,
);

/** The coins of one size: of at least `from` units, and of less than ten times as much. */
export interface CoinSize {
  readonly from: bigint;
  readonly count: number;
  readonly units: bigint;
}

/** The coins of a hot wallet that are in blocks, the largest first. */
export interface CoinSizes {
  readonly networkCode: string;
  readonly assetId: number;
  readonly count: number;
  readonly units: bigint;
  /** The coins that are to become one. */
  readonly consolidating: number;
  readonly sizes: readonly CoinSize[];
}

interface Row extends Pick<CoinSizes, "networkCode" | "assetId" | "consolidating"> {
  readonly digits: number;
  readonly count: number;
  readonly units: string;
}

/** Lists the coins of the open hot wallets of networks of the Bitcoin family by their size. */
export async function listCoinSizes(queryable: Queryable): Promise<readonly CoinSizes[]> {
  const wallets = new Map<string, CoinSizes>();
  for (const row of await queryable.query<Row>(LIST)) {
    const { networkCode, assetId, digits, count } = row;
    const units = BigInt(row.units);
    const before = wallets.get(networkCode);
    wallets.set(networkCode, {
      networkCode,
      assetId,
      count: count + (before?.count ?? 0),
      units: units + (before?.units ?? 0n),
      consolidating: row.consolidating + (before?.consolidating ?? 0),
      sizes: [...(before?.sizes ?? []), { from: 10n ** BigInt(digits - 1), count, units }],
    });
  }
  return [...wallets.values()];
}
