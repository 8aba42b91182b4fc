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

// A page ends after all moves of one moment, so the next page begins before it. None is left out or listed twice. Plans
// are generic (docs/internals/query-plans.md), so "is null or" would read all newer moves first. A plan expects a tenth of
// all moves on a page, and `offset 0` makes it look up the wallet and the output of each by key.
const LIST = statement(
  "treasury_moves_list",
  `select send.id, send.purpose, send.state, moved."networkCode", moved."from", moved."to", moved.units::text as units,
     moved."assetId",
     coalesce(send.settled_hash, (select t.hash from chain_transactions t where t.send_id = send.id
       order by t.number desc limit 1)) as "transactionHash",
     send.created_at as "createdAt", send.updated_at as "updatedAt",
     (extract(epoch from send.created_at) * 1000000)::bigint::text as "createdMicros",
     exists (select from chain_sends older where older.purpose in ('sweep', 'top_up')
       and older.created_at < send.created_at) as "hasOlder"
   from (
     select * from chain_sends where purpose in ('sweep', 'top_up')
       and created_at < coalesce('epoch'::timestamptz + $1::bigint * interval '1 microsecond', 'infinity')
     order by created_at desc fetch first $2 rows with ties) send
     join lateral (
       select wallet.network_code as "networkCode", wallet.address as "from", output.address as "to", output.units,
         output.asset_id as "assetId"
       from chain_wallets wallet, chain_send_outputs output
       where wallet.id = send.wallet_id and output.send_id = send.id offset 0) moved on true
   order by send.created_at desc`,
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
