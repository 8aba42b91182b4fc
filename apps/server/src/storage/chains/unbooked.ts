import { sendOf } from "../payouts/sends.ts";
import { statement, type Tx } from "../postgres/database.ts";
import { settleUnbooked } from "./books.ts";

// Hashes of EVM networks and of coins are stored in lower case. Those of the XRP Ledger are in upper case, and Solana's in both.
const IS_NAMED = "coalesce(transaction_hash, block_hash) in ($2, lower($2))";
const TAKE = statement(
  "chain_unbooked_take",
  `with taken as (
     delete from chain_unbooked where network_code = $1 and asset_id = $3
       and ${IS_NAMED} and not is_deposit returning units)
   select exists (select from chain_wallets where network_code = $1 and role = 'hot'
       and address is not null) as "isAudited",
     (select sum(units)::text from taken) as units,
     exists (select from chain_sends send where send.id in (${sendOf("$2")}, ${sendOf("lower($2)")})
       and (send.state in ('bound', 'signed', 'sent') or exists (select from chain_send_outputs output
         join payout_intents intent on intent.id = output.intent_id and intent.awaits_finality
         where output.send_id = send.id and not output.is_vacated))) as "isUnderWay"`,
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
  /** Whether the service signed the transaction and books its end later. */
  readonly isUnderWay: boolean;
}

/**
 * Takes what the transaction moved from the movements that the books do not have, and returns it. The caller books it in
 * the same database transaction. A second caller waits for the first one, and finds nothing. Movements that the service
 * has booked meanwhile are not taken.
 */
export async function takeUnbooked(
  tx: Tx,
  { networkCode, hash, assetId }: MovedAsset,
): Promise<TakenMovement> {
  await settleUnbooked(tx, networkCode, hash);
  const [row] = await tx.query<
    Pick<TakenMovement, "isAudited" | "isUnderWay"> & { units: string | null }
  >(TAKE, [networkCode, hash, assetId]);
  const units = row?.units ?? null;
  return {
    isAudited: row?.isAudited === true,
    isUnderWay: row?.isUnderWay === true,
    units: units === null ? undefined : BigInt(units),
  };
}
