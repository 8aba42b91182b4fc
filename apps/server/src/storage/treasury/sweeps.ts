import type { FeeTerms } from "../../domain/ports/chain-sender.ts";
import { IS_RESTORED } from "../history.ts";
import { isRailStopped } from "../payouts/network-stops.ts";
import type { SignerQuestion } from "../payouts/questions.ts";
import { storeTerms } from "../payouts/releases.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const IS_STOPPED = isRailStopped("$1");
const LOCK = statement("sweeps_lock", "select pg_advisory_xact_lock(49, hashtext($1))");
const IS_MOVING = statement(
  "sweeps_is_moving",
  `select from chain_sends send
     join chain_send_outputs output on output.send_id = send.id and not output.is_vacated
     join chain_wallets wallet on wallet.id = send.wallet_id and wallet.network_code = $1
   where send.purpose = any($3::text[]) and send.state in ('bound', 'signed', 'sent')
     and case send.purpose when 'sweep' then wallet.address else output.address end = $2`,
);
// The first place of a deposit address is the chain's own count. A place that a refused sweep gave up is taken again.
const BIND_SWEEP = statement(
  "sweeps_bind",
  `with wallet as (
     insert into chain_wallets as wallet (id, network_code, role, address, kind, next_place)
     values ($1 || ':deposits/' || $2, $1, 'deposits', $3,
       case when $4::bigint is null then 'expiring' else 'account' end, $4::bigint + 1)
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
     where network_code = $1 and role in ('hot', 'gas') and state = 'open' and address = $2
     returning id, next_place - 1 as place),
   send as (
     insert into chain_sends (id, wallet_id, purpose, place) select $3::uuid, id, 'top_up', place from wallet
     returning id)
   insert into chain_send_outputs (send_id, number, units, address, asset_id)
   select id, 1, $4, $5, $6 from send returning send_id`,
);
// Each place that a top-up gives up costs the fee of a cancel. So a wallet has one top-up that may be refused.
const IS_HELD = statement(
  "sweeps_is_held",
  `select from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = $1 and wallet.address = $2 and send.purpose = 'top_up'
     and (send.state = 'bound'
       or (send.state = 'vacated' and send.updated_at > business_now() - interval '1 hour'))
   limit 1`,
);
const TOPPED_UP = statement(
  "sweeps_topped_up",
  `select coalesce(sum(output.units), 0)::text as units
   from chain_sends send join chain_send_outputs output on output.send_id = send.id
     join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = $1 and send.purpose = 'top_up'
     and send.state in ('bound', 'signed', 'sent', 'final', 'vacated')
     and send.created_at > business_now() - interval '1 day'`,
);
// Without what its later sends move and cost at most. A send with a deadline ends once its block is final. 2000000 is FIXED_FEE
// of signer/sign-tron.ts, the most sun that bytes and a new account cost beside the fee limit.
const FUNDS = statement(
  "sweeps_funds",
  `select (balance.units - coalesce((
     select sum(case when coalesce(intent.asset_id, output.asset_id) = $3 then output.units else 0 end
       + coalesce((select max(coalesce((t.terms ->> 'gasLimit')::numeric * (t.terms ->> 'maxFeePerGas')::numeric,
             (t.terms ->> 'feeLimit')::numeric + 2000000))
           from chain_fee_terms t where t.send_id = send.id), 0))
     from chain_sends send left join chain_send_outputs output on output.send_id = send.id
       left join payout_intents intent on intent.id = output.intent_id
     where send.wallet_id = wallet.id and not send.is_vacated
       and case when wallet.kind = 'expiring' then send.state in ('bound', 'signed', 'sent')
         else send.place >= balance.used_places end), 0))::text as units
   from chain_wallets wallet
     join wallet_balances balance on balance.wallet_id = wallet.id and balance.asset_id = $3
   where wallet.network_code = $1 and wallet.address = $2`,
);
const LIST_MOVES = statement(
  "sweeps_list_moves",
  `select send.id, send.purpose, send.state, send.place::text as place, wallet.address as "from",
     output.address as "to", output.units::text as units, output.asset_id as "assetId",
     own.key_index as "keyIndex", send.asked_as as "askedAs", ${IS_STOPPED} as "isStopped",
     extract(epoch from clock_timestamp() - coalesce((select since from unswept_deposits unswept
       where unswept.network_code = $1 and unswept.address = wallet.address
         and unswept.asset_id = output.asset_id), clock_timestamp()))::float8 * 1000 as "ageMs"
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
   where id = $1 and state = 'bound' and (purpose = 'sweep' or place is null) and asked_as is null`,
);
// The row lock excludes a cancel at the same place. A stop may have been set after the move was listed.
const ASK = statement(
  "sweeps_ask",
  `update chain_sends send set asked_as = coalesce(asked_as, $2), asked_by = $3 from chain_wallets wallet
   where send.id = $1 and send.state = 'bound' and wallet.id = send.wallet_id
     and not ${isRailStopped("wallet.network_code")}
   returning asked_as as "askedAs"`,
);
const REFUSED = statement(
  "sweeps_refused",
  "update chain_sends set asked_as = null where id = $1 and state = 'bound' and asked_by = $2",
);
/** Coins that are to move between accounts of ours, and the price that was decided for it. */
export interface NewMove {
  readonly sendId: string;
  readonly networkCode: string;
  readonly units: bigint;
  readonly assetId: number;
  /** Null if they are chosen only when the signer is asked. */
  readonly terms: FeeTerms | null;
  readonly deposit: {
    readonly address: string;
    readonly keyIndex: number;
    /** Null where transactions have deadlines. */
    readonly usedPlaces: bigint | null;
  };
  readonly hotAddress: string;
}

type Purpose = "sweep" | "top_up";

/** Returns whether no other move of the address is under way, until the database transaction ends. */
async function lockIdle(
  tx: Tx,
  { networkCode, deposit }: Pick<NewTopUp, "networkCode" | "deposit">,
  purposes: readonly Purpose[] = ["sweep", "top_up"],
): Promise<boolean> {
  await tx.query(LOCK, [networkCode]);
  return (await tx.query(IS_MOVING, [networkCode, deposit.address, purposes])).length === 0;
}

/** Binds a sweep to the next place of its deposit address, and stores its terms if it has them. */
export async function bindSweep(tx: Tx, move: NewMove): Promise<boolean> {
  if (!(await lockIdle(tx, move))) return false;
  const { sendId, networkCode, deposit, units, hotAddress, assetId } = move;
  const { keyIndex, address, usedPlaces } = deposit;
  const values = [networkCode, keyIndex, address, usedPlaces, sendId, units, hotAddress, assetId];
  await tx.write(BIND_SWEEP, values);
  if (move.terms) await storeTerms(tx, { sendId, number: 1 }, move.terms);
  return true;
}

/** Returns the units of the last day's top-ups. Those that gave up their places count too. */
export async function readToppedUp(queryable: Queryable, networkCode: string): Promise<bigint> {
  const [row] = await queryable.query<{ units: string }>(TOPPED_UP, [networkCode]);
  return BigInt(row?.units ?? "0");
}

/** Returns the coins of a wallet beyond what its sends under way move and cost at most. */
export async function readFunds(
  queryable: Queryable,
  wallet: { readonly networkCode: string; readonly address: string; readonly assetId: number },
): Promise<bigint> {
  const values = [wallet.networkCode, wallet.address, wallet.assetId];
  const [funds] = await queryable.query<{ units: string }>(FUNDS, values);
  return BigInt(funds?.units ?? "0");
}

/** Coins that are to go to a deposit address. */
export interface NewTopUp extends Omit<NewMove, "hotAddress" | "deposit"> {
  readonly deposit: Pick<NewMove["deposit"], "address">;
  /** The address of the hot wallet or of the gas tank. */
  readonly funderAddress: string;
  /** The most that the transaction costs. */
  readonly fee: bigint;
  /** The most that top-ups of a day may bring. */
  readonly dayMax: bigint;
  /** The coins that stay in the wallet that pays. */
  readonly keep: bigint;
  /** Whether it pays for the replacement of a sweep that is under way. */
  readonly isForRaise: boolean;
}

/**
 * `busy`: another move of the address is under way, or the wallet is not registered. `held`: a top-up of the wallet
 * is not signed yet, or gave up its place within the last hour.
 */
export type BoundTopUp = "bound" | "busy" | "held" | "day_used" | "short";

/**
 * Binds a top-up to the next place of the wallet that pays it, and stores its terms. Binds nothing when the top-ups
 * of a day would exceed the limit. Binds nothing when the wallet has too little, because its later places would wait
 * for this one.
 */
export async function bindTopUp(tx: Tx, topUp: NewTopUp): Promise<BoundTopUp> {
  if (!(await lockIdle(tx, topUp, topUp.isForRaise ? ["top_up"] : undefined))) return "busy";
  const { sendId, networkCode, deposit, units, funderAddress, assetId, terms } = topUp;
  if ((await tx.query(IS_HELD, [networkCode, funderAddress])).length > 0) return "held";
  if ((await readToppedUp(tx, networkCode)) + units > topUp.dayMax) return "day_used";
  const funds = await readFunds(tx, { networkCode, address: funderAddress, assetId });
  if (funds < units + topUp.fee + topUp.keep) return "short";
  const values = [networkCode, funderAddress, sendId, units, deposit.address, assetId];
  if ((await tx.query(BIND_TOP_UP, values)).length === 0) return "busy";
  if (terms) await storeTerms(tx, { sendId, number: 1 }, terms);
  return "bound";
}

/** A sweep or a top-up that has not ended. */
export interface StoredMove {
  readonly id: string;
  readonly purpose: Purpose;
  readonly state: "bound" | "signed" | "sent";
  /** Null where transactions have deadlines. */
  readonly place: bigint | null;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly assetId: number;
  /** Of the deposit address. */
  readonly keyIndex: number;
  /** The deposit address by which the signer was asked. Null if it was not, or refused. */
  readonly askedAs: string | null;
  /** Since the coins of a sweep were final. */
  readonly ageMs: number;
  /** Whether payouts of the network are stopped. Then nothing more is signed. */
  readonly isStopped: boolean;
}

export async function listMoves(queryable: Queryable, networkCode: string): Promise<StoredMove[]> {
  const rows = await queryable.query<
    Omit<StoredMove, "place" | "units"> & { place: string | null; units: string }
  >(LIST_MOVES, [networkCode]);
  return rows.map(({ place, units, ...row }) => ({
    ...row,
    place: place === null ? null : BigInt(place),
    units: BigInt(units),
  }));
}

/**
 * Records that the signer is asked, by the name of the deposit address. Returns the name of the first question, or
 * undefined when the place was given up or payouts of the network are stopped.
 */
export async function noteAsked(
  queryable: Queryable,
  { sendId, id }: SignerQuestion,
  account: string,
): Promise<string | undefined> {
  const [row] = await queryable.query<{ askedAs: string }>(ASK, [sendId, account, id]);
  return row?.askedAs;
}

/** Records that the signer refused the last question, so nothing was signed. A later question may have been signed. */
export async function noteRefused(queryable: Queryable, question: SignerQuestion): Promise<void> {
  await queryable.write(REFUSED, [question.sendId, question.id]);
}

/**
 * Vacates a sweep or a top-up without a place, unless the signer may have signed it. A sweep's place is free for the
 * next one.
 */
export async function giveUpMove(queryable: Queryable, sendId: string): Promise<void> {
  await queryable.write(GIVE_UP, [sendId]);
}
