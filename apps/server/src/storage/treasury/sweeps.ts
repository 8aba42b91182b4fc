import type { FeeTerms } from "../../domain/ports/chain-sender.ts";
import { IS_RESTORED } from "../history.ts";
import { storeTerms } from "../payouts/releases.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const IS_STOPPED = `exists (select from stops where kind = 'all'
     or (kind = 'rail' and subject in ('chain', 'chain:' || $1)))`;
// Skips an address with a deposit that is not booked or not final.
const UNSWEPT = statement(
  "sweeps_unswept",
  `select unswept.address, own.key_index as "keyIndex", unswept.asset_id as "assetId",
     extract(epoch from clock_timestamp() - unswept.since)::float8 * 1000 as "ageMs",
     unswept_units($1, unswept.address, unswept.asset_id)::text as units
   from unswept_deposits unswept join chain_addresses own using (network_code, address)
   where unswept.network_code = $1 and not ${IS_RESTORED} and not ${IS_STOPPED}
     and not exists (select from chain_movements m
       where m.network_code = $1 and m.address = unswept.address and (m.state = 'seen'
         or (m.state = 'final'
           and not exists (select from deposits d where d.rail = 'chain' and d.source = $1
             and d.external_id = m.id and d.state = 'final')
           and not exists (select from chain_transactions t where t.hash = m.transaction_hash))))
     and not exists (select from chain_sends send
         join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
         join chain_wallets wallet on wallet.id = send.wallet_id and wallet.network_code = $1
       where send.purpose in ('sweep', 'top_up')
         and (send.state in ('bound', 'signed', 'sent')
           or (send.state in ('failed', 'dead')
             and send.updated_at > business_now() - interval '1 day'))
         and case send.purpose when 'sweep' then wallet.address else output.address end
           = unswept.address)
   order by unswept.since desc limit 500`,
);
const LOCK = statement("sweeps_lock", "select pg_advisory_xact_lock(49, hashtext($1))");
const IS_MOVING = statement(
  "sweeps_is_moving",
  `select from chain_sends send
     join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
     join chain_wallets wallet on wallet.id = send.wallet_id and wallet.network_code = $1
   where send.purpose in ('sweep', 'top_up') and send.state in ('bound', 'signed', 'sent')
     and case send.purpose when 'sweep' then wallet.address else output.address end = $2`,
);
// The first place of a deposit address is the chain's own count. A place that a refused sweep gave up is taken again.
const BIND_SWEEP = statement(
  "sweeps_bind",
  `with wallet as (
     insert into chain_wallets as wallet (id, network_code, role, address, next_place)
     values ($1 || ':deposits/' || $2, $1, 'deposits', $3, $4::bigint + 1)
     on conflict (network_code, address) do update set next_place = greatest(wallet.next_place, $4::bigint + 1)
     returning id),
   send as (
     insert into chain_sends (id, wallet_id, purpose, place) select $5::uuid, id, 'sweep', $4 from wallet)
   insert into chain_send_outputs (send_id, number, units, address, asset_id)
   values ($5, 1, $6, $7, $8)`,
);
const BIND_TOP_UP = statement(
  "sweeps_bind_top_up",
  `with wallet as (
     update chain_wallets set next_place = next_place + 1
     where network_code = $1 and role = 'hot' and state = 'open' and address = $2
     returning id, next_place - 1 as place),
   send as (
     insert into chain_sends (id, wallet_id, purpose, place) select $3::uuid, id, 'top_up', place from wallet
     returning id)
   insert into chain_send_outputs (send_id, number, units, address, asset_id)
   select id, 1, $4, $5, $6 from send returning send_id`,
);
const TOPPED_UP = statement(
  "sweeps_topped_up",
  `select coalesce(sum(output.units), 0)::text as units
   from chain_sends send join chain_send_outputs output on output.send_id = send.id
     join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = $1 and wallet.role = 'hot' and send.purpose = 'top_up'
     and send.state in ('bound', 'signed', 'sent', 'final')
     and send.created_at > business_now() - interval '1 day'`,
);
const LIST_MOVES = statement(
  "sweeps_list_moves",
  `select send.id, send.purpose, send.state, send.place::text as place, wallet.address as "from",
     output.address as "to", output.units::text as units, output.asset_id as "assetId",
     own.key_index as "keyIndex", ${IS_STOPPED} as "isStopped"
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     join chain_send_outputs output on output.send_id = send.id
     join chain_addresses own on own.network_code = wallet.network_code
       and own.address = case send.purpose when 'sweep' then wallet.address else output.address end
   where send.purpose in ('sweep', 'top_up') and send.state in ('bound', 'signed', 'sent')
     and wallet.network_code = $1 and not ${IS_RESTORED}
   order by send.created_at, send.id`,
);
const GIVE_UP = statement(
  "sweeps_give_up",
  `update chain_sends set state = 'vacated', updated_at = business_now()
   where id = $1 and state = 'bound' and purpose = 'sweep'`,
);
// Their coins were collected. Coins that come later are listed again.
const FORGET = statement(
  "sweeps_forget",
  `delete from unswept_deposits where network_code = $1
     and unswept_units(network_code, address, asset_id) = 0`,
);

/** Coins at a deposit address, whose deposits are final and booked. */
export interface Unswept {
  readonly address: string;
  readonly keyIndex: number;
  readonly assetId: number;
  readonly ageMs: number;
  /** By our rows. The chain may have more, which is not explained yet. */
  readonly units: bigint;
}

/** Lists the deposit addresses that may be swept now. None while the network's payouts are stopped. */
export async function listUnswept(queryable: Queryable, networkCode: string): Promise<Unswept[]> {
  await queryable.write(FORGET, [networkCode]);
  const rows = await queryable.query<Omit<Unswept, "units"> & { units: string }>(UNSWEPT, [
    networkCode,
  ]);
  return rows.map(({ units, ...row }) => ({ ...row, units: BigInt(units) }));
}

/** Coins that are to move between accounts of ours, and the price that was decided for it. */
export interface NewMove {
  readonly sendId: string;
  readonly networkCode: string;
  readonly units: bigint;
  readonly assetId: number;
  readonly terms: FeeTerms;
  readonly deposit: {
    readonly address: string;
    readonly keyIndex: number;
    readonly usedPlaces: bigint;
  };
  readonly hotAddress: string;
}

/** Returns false, and binds nothing, while another move of the address is under way. */
async function lockIdle(tx: Tx, { networkCode, deposit }: NewMove): Promise<boolean> {
  await tx.query(LOCK, [networkCode]);
  return (await tx.query(IS_MOVING, [networkCode, deposit.address])).length === 0;
}

/** Binds a sweep to the next place of its deposit address, and stores its terms. */
export async function bindSweep(tx: Tx, move: NewMove): Promise<boolean> {
  if (!(await lockIdle(tx, move))) return false;
  const { sendId, networkCode, deposit, units, hotAddress, assetId } = move;
  const { keyIndex, address, usedPlaces } = deposit;
  const values = [networkCode, keyIndex, address, usedPlaces, sendId, units, hotAddress, assetId];
  await tx.write(BIND_SWEEP, values);
  await storeTerms(tx, { sendId, number: 1 }, move.terms);
  return true;
}

/**
 * Binds a top-up to the next place of the hot wallet, and stores its terms. Binds nothing when the top-ups of a day
 * would exceed the limit.
 */
export async function bindTopUp(tx: Tx, move: NewMove, dayMax: bigint): Promise<boolean> {
  if (!(await lockIdle(tx, move))) return false;
  const { sendId, networkCode, deposit, units, hotAddress, assetId } = move;
  const [spent] = await tx.query<{ units: string }>(TOPPED_UP, [networkCode]);
  if (BigInt(spent?.units ?? "0") + units > dayMax) return false;
  const values = [networkCode, hotAddress, sendId, units, deposit.address, assetId];
  if ((await tx.query(BIND_TOP_UP, values)).length === 0) return false;
  await storeTerms(tx, { sendId, number: 1 }, move.terms);
  return true;
}

/** A sweep or a top-up that has not ended. */
export interface StoredMove {
  readonly id: string;
  readonly purpose: "sweep" | "top_up";
  readonly state: "bound" | "signed" | "sent";
  readonly place: bigint;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly assetId: number;
  /** Of the deposit address. */
  readonly keyIndex: number;
  /** Whether payouts of the network are stopped. Then nothing more is signed. */
  readonly isStopped: boolean;
}

export async function listMoves(queryable: Queryable, networkCode: string): Promise<StoredMove[]> {
  const rows = await queryable.query<
    Omit<StoredMove, "place" | "units"> & { place: string; units: string }
  >(LIST_MOVES, [networkCode]);
  return rows.map(({ place, units, ...row }) => ({
    ...row,
    place: BigInt(place),
    units: BigInt(units),
  }));
}

/** Vacates a sweep that the signer refused. Its place is free for the next one, because nothing was signed at it. */
export async function giveUpSweep(queryable: Queryable, sendId: string): Promise<void> {
  await queryable.write(GIVE_UP, [sendId]);
}
