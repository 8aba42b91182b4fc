import { statement, type Tx } from "../postgres/database.ts";

// Hashes of EVM networks and of coins are stored in lower case. Those of the XRP Ledger are in upper case, and Solana's in both.
const IS_NAMED = "coalesce(transaction_hash, block_hash) in ($2, lower($2))";
const TAKE = statement(
  "chain_unbooked_take",
  `with taken as (
     delete from chain_unbooked where network_code = $1 and asset_id = $3
       and ${IS_NAMED} and not is_deposit returning units)
   select exists (select from chain_wallets where network_code = $1 and role = 'hot'
       and address is not null) as "isAudited",
     (select sum(units)::text from taken) as units`,
);

/** An asset that a transaction moved, or a block where no transaction explains it. */
export interface MovedAsset {
  readonly networkCode: string;
  readonly hash: string;
  readonly assetId: number;
}

/** The movements of our wallets that the books did not have. */
export interface TakenMovement {
  /** Whether the service reads the wallets of the network itself. */
  readonly isAudited: boolean;
  /** Negative for what left. Undefined where nothing of it was missing in the books. */
  readonly units: bigint | undefined;
}

/**
 * Takes what the transaction moved from the movements that the books do not have, and returns it. The caller books it in
 * the same database transaction. A second caller waits for the first one, and finds nothing.
 */
export async function takeUnbooked(
  tx: Tx,
  { networkCode, hash, assetId }: MovedAsset,
): Promise<TakenMovement> {
  const [row] = await tx.query<{ isAudited: boolean; units: string | null }>(TAKE, [
    networkCode,
    hash,
    assetId,
  ]);
  const units = row?.units ?? null;
  return {
    isAudited: row?.isAudited === true,
    units: units === null ? undefined : BigInt(units),
  };
}
