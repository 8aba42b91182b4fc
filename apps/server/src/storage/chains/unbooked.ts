import { type Queryable, statement, type Tx } from "../postgres/database.ts";

// Hashes of EVM networks and of coins are stored in lower case. Those of the XRP Ledger are in upper case, and Solana's in both.
const IS_NAMED = "coalesce(transaction_hash, block_hash) in ($2, lower($2))";
const OF_TRANSACTION = statement(
  "chain_unbooked_of_transaction",
  `select exists (select from chain_wallets where network_code = $1 and role = 'hot'
       and address is not null) as "isAudited",
     (select sum(units)::text from chain_unbooked where network_code = $1 and asset_id = $3
       and ${IS_NAMED} and not is_deposit) as units`,
);
const BOOK = statement(
  "chain_unbooked_book",
  `delete from chain_unbooked where network_code = $1 and asset_id = $3
     and ${IS_NAMED} and not is_deposit`,
);

/** An asset that a transaction moved, or a block where no transaction explains it. */
export interface MovedAsset {
  readonly networkCode: string;
  readonly hash: string;
  readonly assetId: number;
}

/** The movements of our wallets that the books do not have. */
export interface UnbookedMovement {
  /** Whether the service reads the wallets of the network itself. */
  readonly isAudited: boolean;
  /** Negative for what left. Undefined where nothing of it is missing in the books. */
  readonly units: bigint | undefined;
}

export async function findUnbooked(
  queryable: Queryable,
  { networkCode, hash, assetId }: MovedAsset,
): Promise<UnbookedMovement> {
  const [row] = await queryable.query<{ isAudited: boolean; units: string | null }>(
    OF_TRANSACTION,
    [networkCode, hash, assetId],
  );
  const units = row?.units ?? null;
  return {
    isAudited: row?.isAudited === true,
    units: units === null ? undefined : BigInt(units),
  };
}

/** Records that the books have what the transaction moved. */
export async function markBooked(
  tx: Tx,
  { networkCode, hash, assetId }: MovedAsset,
): Promise<void> {
  await tx.write(BOOK, [networkCode, hash, assetId]);
}
