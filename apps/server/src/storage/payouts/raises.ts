import type { FeeTerms } from "../../domain/ports/chain-sender.ts";
import { IS_LEFT } from "../chains/take-coins.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { isRailStopped } from "./network-stops.ts";
import { storeTerms } from "./releases.ts";

// The coin is stored before a block has it. It has one spender, so of two workers only one inserts a raise, and the other
// inserts nothing. A consolidation waits for a stop, and so does the raise of its fee.
const BIND = statement(
  "chain_sends_bind_raise",
  `with payout as (
     select id, wallet_id from chain_sends where id = $2 and state in ('signed', 'sent')
       and not (purpose = 'rebalance' and ${isRailStopped("$3")})),
   taken as (
     insert into chain_coins as coin
       (network_code, outpoint, account, branch, key_index, units, matures_at, send_id)
     select $3, $4, $5, 1, $6, $7, 0, $1::uuid from payout
     on conflict (network_code, outpoint) do update set send_id = excluded.send_id
       where coin.spent_by is null and ${IS_LEFT}
     returning send_id)
   insert into chain_sends (id, wallet_id, purpose, raises)
   select send_id, wallet_id, 'raise', payout.id from taken, payout`,
);
const LIST = statement(
  "chain_sends_list_raises",
  `select send.id, t.hash as "transactionHash", t.bytes, terms.terms,
     send.is_vacated as "isRefused"
   from chain_sends send
     join chain_fee_terms terms on terms.send_id = send.id and terms.number = 1
     left join chain_transactions t on t.send_id = send.id and t.number = 1
   where send.raises = $1 order by send.created_at, send.id`,
);

/** A transaction that spends the change of a payout's transaction, to raise its fee. */
export interface NewRaise {
  readonly id: string;
  /** The send of the payout. */
  readonly raises: string;
  readonly networkCode: string;
  /** The fingerprint of the wallet's account. */
  readonly account: string;
  readonly change: {
    readonly outpoint: string;
    readonly index: number;
    readonly units: bigint;
  };
  readonly terms: FeeTerms;
}

/** Binds a raise to its coin, with its terms. Returns false where the payout has ended or its change is taken. */
export async function bindRaise(tx: Tx, raise: NewRaise): Promise<boolean> {
  const { id, raises, networkCode, account, change, terms } = raise;
  const { outpoint, index, units } = change;
  const values = [id, raises, networkCode, outpoint, account, index, units];
  if ((await tx.write(BIND, values)) !== 1) return false;
  await storeTerms(tx, { sendId: id, number: 1 }, terms);
  return true;
}

export interface StoredRaise {
  readonly id: string;
  readonly terms: FeeTerms;
  /** Null until it is signed. */
  readonly transactionHash: string | null;
  readonly bytes: Uint8Array | null;
  /** Nothing was signed, and its coin is free. */
  readonly isRefused: boolean;
}

/** Lists the raises of a payout's send, the newest last. */
export const listRaises = (queryable: Queryable, sendId: string): Promise<StoredRaise[]> =>
  queryable.query<StoredRaise>(LIST, [sendId]);
