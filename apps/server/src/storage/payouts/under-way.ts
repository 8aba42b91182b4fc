import type { UnderWay } from "../../domain/ports/chain-sender.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// A balance at or after a block already includes that block's transactions. The hot wallet pays the fees of sweeps too, whose
// coins come to it. Payouts are bound in turn, because each locks the wallet first. So one that was bound earlier is committed.
// This assumes that the database's clock does not go back between two of them: `created_at` is read after the lock is taken.
// Payouts with numbered places that are bound together have one time, and the number says which one can be mined first.
const UNDER_WAY = statement(
  "chain_sends_under_way",
  `select cursor.height::text as height, send.id as "sendId", send.wallet_id = hot.id as "isPayment",
     c.reference as "assetReference", output.units::text as units
   from chain_cursors cursor
     join chain_wallets hot on hot.network_code = cursor.network_code and hot.address = $2
     left join (chain_wallets wallet
       join chain_sends send on send.wallet_id = wallet.id and send.state in ('bound', 'signed', 'sent')
       left join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
       left join payout_intents intent on intent.id = output.intent_id
       left join currencies c on c.id = coalesce(output.asset_id, intent.asset_id))
     on wallet.network_code = cursor.network_code and not exists (
         select from chain_transactions t
           join chain_wallet_movements moved on moved.transaction_hash = t.hash
         where t.send_id = send.id and moved.network_code = cursor.network_code
           and moved.address = hot.address and moved.state in ('seen', 'final'))
       and ($3::uuid is null or exists (select from chain_sends later where later.id = $3
         and case when send.wallet_id = later.wallet_id and send.place is not null and later.place is not null
           then send.place < later.place
           else (send.created_at, send.id) < (later.created_at, later.id) end))
   where cursor.network_code = $1
   order by send.id, output.number`,
);

interface UnderWayRow {
  readonly height: string;
  /** Null if nothing is under way. Then the members below are null too. */
  readonly sendId: string | null;
  readonly isPayment: boolean | null;
  /** Null for a cancel, which pays nobody. */
  readonly assetReference: string | null;
  readonly units: string | null;
}

export interface UnderWayQuestion {
  readonly networkCode: string;
  /** The address of the hot wallet. */
  readonly address: string;
  /** Counts only sends that were bound before this one. */
  readonly beforeSendId?: string | undefined;
}

/**
 * Returns the sends of a network that no block has, as far as the scanner has read. Undefined before the
 * scanner has begun, or before the wallet is registered.
 */
export async function readUnderWay(
  queryable: Queryable,
  { networkCode, address, beforeSendId }: UnderWayQuestion,
): Promise<UnderWay | undefined> {
  const rows = await queryable.query<UnderWayRow>(UNDER_WAY, [
    networkCode,
    address,
    beforeSendId ?? null,
  ]);
  const [first] = rows;
  if (!first) return undefined;
  const payments = rows.flatMap(({ isPayment, assetReference, units }) =>
    isPayment && assetReference !== null && units !== null
      ? [{ assetReference, units: BigInt(units) }]
      : [],
  );
  const sends = new Set(rows.flatMap(({ sendId }) => sendId ?? [])).size;
  return { readTo: BigInt(first.height), payments, sends };
}
