import { IS_RESTORED } from "../history.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { isRailStopped } from "./network-stops.ts";

const LIST_OWN = statement(
  "chain_sends_list_own",
  `select send.id, send.purpose, send.place::text as place, wallet.network_code as "networkCode", wallet.role,
     send.purpose = 'rebalance' and ${isRailStopped("wallet.network_code")} as "isStopped"
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where send.purpose in ('cancel', 'raise', 'rebalance') and send.state in ('bound', 'signed', 'sent') and not ${IS_RESTORED}
   order by send.wallet_id, send.place, send.created_at`,
);

/** A send that pays nobody and has not ended. It cancels a nonce. On networks of coins it raises a fee or consolidates. */
export interface OwnSend {
  readonly id: string;
  readonly purpose: "cancel" | "raise" | "rebalance";
  readonly networkCode: string;
  /** The role of the wallet. */
  readonly role: "hot" | "gas";
  readonly place: bigint | null;
  /** A stop of the network's payouts lets a consolidation sign nothing more. It prevents no cancel and no raise. */
  readonly isStopped: boolean;
}

/** Lists the cancels, raises and consolidations that have not ended, in the order of their places. */
export async function listOwnSends(queryable: Queryable): Promise<OwnSend[]> {
  const rows = await queryable.query<Omit<OwnSend, "place"> & { place: string | null }>(LIST_OWN);
  return rows.map(({ place, ...send }) => ({
    ...send,
    place: place === null ? null : BigInt(place),
  }));
}
