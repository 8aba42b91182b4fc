import type { UnderWay } from "../../domain/ports/chain-sender.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// A balance at or after a block already includes that block's transactions. The hot wallet pays the fees of sweeps too, whose
// coins come to it.
const UNDER_WAY = statement(
  "chain_sends_under_way",
  `select cursor.height::text as height,
     coalesce(sum(output.units) filter (where send.wallet_id = hot.id), 0)::text as units,
     count(distinct send.id)::int as sends
   from chain_cursors cursor
     join chain_wallets hot on hot.network_code = cursor.network_code and hot.address = $2
     left join (chain_wallets wallet
       join chain_sends send on send.wallet_id = wallet.id and send.state in ('bound', 'signed', 'sent')
       join chain_send_outputs output on output.send_id = send.id and not output.is_vacated)
     on wallet.network_code = cursor.network_code and not exists (
         select from chain_transactions t
           join chain_wallet_movements moved on moved.transaction_hash = t.hash
         where t.send_id = send.id and moved.network_code = cursor.network_code
           and moved.address = hot.address and moved.state in ('seen', 'final'))
   where cursor.network_code = $1
   group by cursor.height`,
);

interface UnderWayRow {
  readonly height: string;
  readonly units: string;
  readonly sends: number;
}

/**
 * Returns the sends of a network with one coin that no block has, as far as the scanner has read. `address` is that of the
 * hot wallet. Undefined before the scanner has begun, or before the wallet is registered.
 */
export async function readUnderWay(
  queryable: Queryable,
  { networkCode, address }: { readonly networkCode: string; readonly address: string },
): Promise<UnderWay | undefined> {
  const [row] = await queryable.query<UnderWayRow>(UNDER_WAY, [networkCode, address]);
  return row && { readTo: BigInt(row.height), units: BigInt(row.units), sends: row.sends };
}
