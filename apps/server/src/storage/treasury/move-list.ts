import { type Queryable, statement } from "../postgres/database.ts";

/** A sweep or a top-up, under way or ended. */
export interface ListedMove {
  readonly id: string;
  readonly purpose: "sweep" | "top_up";
  readonly state: "bound" | "signed" | "sent" | "final" | "failed" | "dead" | "vacated";
  readonly networkCode: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly assetId: number;
  readonly transactionHash: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Microseconds since 1970, the place of the move in the list. */
  readonly createdMicros: bigint;
  readonly hasOlder: boolean;
}

// A page ends after all moves of one moment, so the next page begins before it. None is left out or listed twice.
const LIST = statement(
  "treasury_moves_list",
  `select send.id, send.purpose, send.state, wallet.network_code as "networkCode", wallet.address as "from",
     output.address as "to", output.units::text as units, output.asset_id as "assetId",
     coalesce(send.settled_hash, (select t.hash from chain_transactions t where t.send_id = send.id
       order by t.number desc limit 1)) as "transactionHash",
     send.created_at as "createdAt", send.updated_at as "updatedAt",
     (extract(epoch from send.created_at) * 1000000)::bigint::text as "createdMicros",
     exists (select from chain_sends older where older.purpose in ('sweep', 'top_up')
       and older.created_at < send.created_at) as "hasOlder"
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     join chain_send_outputs output on output.send_id = send.id
   where send.purpose in ('sweep', 'top_up')
     and ($1::bigint is null or send.created_at < 'epoch'::timestamptz + $1::bigint * interval '1 microsecond')
   order by send.created_at desc fetch first $2 rows with ties`,
);

/** Lists moves that began before a moment, the newest first. */
export async function listMovesByTime(
  queryable: Queryable,
  { before, limit }: { readonly before: bigint | null; readonly limit: number },
): Promise<readonly ListedMove[]> {
  const rows = await queryable.query<
    Omit<ListedMove, "units" | "createdMicros"> & { units: string; createdMicros: string }
  >(LIST, [before?.toString() ?? null, limit]);
  return rows.map(({ units, createdMicros, ...row }) => ({
    ...row,
    units: BigInt(units),
    createdMicros: BigInt(createdMicros),
  }));
}
