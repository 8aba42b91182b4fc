import type { Operator } from "../../domain/operators/operator.ts";
import { IS_REFILL } from "../chains/wallet-movements.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const RECORD = statement(
  "payout_mismatches_record",
  `with added as (
     insert into payout_mismatches (intent_id, hash, why, fee_units) values ($1, $2, $3, $4)
     on conflict (intent_id) do nothing)
   select outcome, left_units::text as left from payout_mismatches
   where intent_id = $1 and hash = $2 and decided_at is not null`,
);
const LOCK = statement(
  "payout_mismatches_lock",
  `select hash, why, decided_at is not null as "isDecided" from payout_mismatches
   where intent_id = $1 for update`,
);
const ANSWER = statement(
  "payout_resolutions_answer",
  `insert into payout_resolutions (intent_id, person, account, outcome, left_units)
   select $1, $2, $3, $4, $5 where not exists (select from payout_resolutions
     where intent_id = $1 and person <> $2 and account = $3)
   on conflict (intent_id, person) do update set account = excluded.account,
     outcome = excluded.outcome, left_units = excluded.left_units, at = business_now()
   returning person`,
);
const FIND_OTHER = statement(
  "payout_resolutions_find_other",
  `select person from payout_resolutions where intent_id = $1 and person <> $2 and account = $3`,
);
const AGREEING = statement(
  "payout_resolutions_agreeing",
  `select person from payout_resolutions
   where intent_id = $1 and outcome = $2 and left_units = $3 order by at, person`,
);
const DECIDE = statement(
  "payout_mismatches_decide",
  `update payout_mismatches set outcome = $2, left_units = $3, decided_at = business_now()
   where intent_id = $1`,
);
// A refill within the transaction is booked as capital, so it does not reduce the units that left.
const LEFT = statement(
  "chain_wallet_movements_left",
  `select coalesce(-sum(units) filter (where not (${IS_REFILL})), 0)::text as left
   from chain_wallet_movements movement
   where network_code = $1 and transaction_hash = $2 and asset_id = $3 and state = 'final'
     and source <> 'fee' having count(*) > 0`,
);

// Inputs less outputs, which the scanner writes where all inputs are coins of the hot wallet. A payout that was in a block
// before the scanner read fees has one movement, of its payment and its fee.
const FEE = statement(
  "chain_wallet_movements_fee",
  `select coalesce(sum(units) filter (where source = 'fee'), sum(units) filter (where id like '%:net:%')
       + coalesce((select sum(o.units) from chain_transactions t join chain_send_outputs o using (send_id)
         where t.hash = $2 and not o.is_vacated), 0))::text as units
   from chain_wallet_movements
   where network_code = $1 and transaction_hash = $2 and state <> 'orphaned'`,
);

const FIND_SWEEP = statement(
  "chain_sends_find_sweep",
  `select send.id, send.state, wallet.network_code as "networkCode", output.asset_id as "assetId",
     output.units::text as units
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
     join chain_send_outputs output on output.send_id = send.id
   where send.id = $1 and send.purpose = 'sweep'`,
);
const IS_READ = statement(
  "chain_wallet_movements_is_read",
  `select from chain_wallet_movements
   where network_code = $1 and transaction_hash = $2 and state = 'final' limit 1`,
);

/** `moved`: of a sweep, whose coins stay ours. */
export type MismatchOutcome = "paid" | "unpaid" | "moved";

/** How a payout or a sweep ended, and the units that left our wallets. */
export interface MismatchDecision {
  readonly outcome: MismatchOutcome;
  readonly left: bigint;
}

/** A payout's final transaction, which moved something else than was owed. */
export interface FoundMismatch {
  readonly intentId: string;
  readonly hash: string;
  readonly why: string;
  /** Its cost, in units of the network's own coin. */
  readonly fee: bigint;
}

/** Records a mismatch once. Returns what people decided about it, or undefined while they have not. */
export async function recordMismatch(
  queryable: Queryable,
  { intentId, hash, why, fee }: FoundMismatch,
): Promise<MismatchDecision | undefined> {
  const values = [intentId, hash, why, fee];
  const [row] = await queryable.query<{ outcome: MismatchOutcome; left: string }>(RECORD, values);
  return row && { outcome: row.outcome, left: BigInt(row.left) };
}

export interface LockedMismatch {
  readonly hash: string;
  readonly why: string;
  readonly isDecided: boolean;
}

/** Locks the mismatch of a payout until the database transaction ends. */
export async function lockMismatch(tx: Tx, intentId: string): Promise<LockedMismatch | undefined> {
  const [row] = await tx.query<LockedMismatch>(LOCK, [intentId]);
  return row;
}

/**
 * Records what a person says. It replaces what the same person said before. Records nothing and returns the other
 * person when one said something under the same account.
 */
export async function answerMismatch(
  tx: Tx,
  intentId: string,
  { outcome, left }: MismatchDecision,
  { person, account }: Pick<Operator, "person" | "account">,
): Promise<string | undefined> {
  const recorded = await tx.query(ANSWER, [intentId, person, account, outcome, left]);
  if (recorded.length > 0) return undefined;
  const [other] = await tx.query<{ person: string }>(FIND_OTHER, [intentId, person, account]);
  return other?.person;
}

/** Lists the people who say the same. */
export async function listAgreeing(
  tx: Tx,
  intentId: string,
  { outcome, left }: MismatchDecision,
): Promise<readonly string[]> {
  const rows = await tx.query<{ person: string }>(AGREEING, [intentId, outcome, left]);
  return rows.map(({ person }) => person);
}

export async function decideMismatch(
  tx: Tx,
  intentId: string,
  { outcome, left }: MismatchDecision,
): Promise<void> {
  await tx.write(DECIDE, [intentId, outcome, left]);
}

/** A sweep, by the id that its break names. */
export interface FoundSweep {
  readonly id: string;
  readonly state: string;
  readonly networkCode: string;
  readonly assetId: number;
  readonly units: bigint;
}

export async function findSweep(
  queryable: Queryable,
  sendId: string,
): Promise<FoundSweep | undefined> {
  const [row] = await queryable.query<Omit<FoundSweep, "units"> & { units: string }>(FIND_SWEEP, [
    sendId,
  ]);
  return row && { ...row, units: BigInt(row.units) };
}

/** Returns whether the scanner has recorded what a final transaction of our wallets moved. */
export async function isRead(
  queryable: Queryable,
  of: { readonly networkCode: string; readonly hash: string },
): Promise<boolean> {
  return (await queryable.query(IS_READ, [of.networkCode, of.hash])).length > 0;
}

/** Returns what a transaction of the hot wallet cost in a block that was read. */
export async function findFee(
  queryable: Queryable,
  of: { readonly networkCode: string; readonly hash: string },
): Promise<bigint | undefined> {
  const values = [of.networkCode, of.hash];
  const [row] = await queryable.query<{ units: string | null }>(FEE, values);
  const units = row?.units ?? null;
  return units === null ? undefined : -BigInt(units);
}

/** Returns the units of an asset that left our wallets by a final transaction, or undefined where no block was read. */
export async function readLeft(
  queryable: Queryable,
  of: { readonly networkCode: string; readonly hash: string; readonly assetId: number },
): Promise<bigint | undefined> {
  const [row] = await queryable.query<{ left: string }>(LEFT, [
    of.networkCode,
    of.hash,
    of.assetId,
  ]);
  return row && BigInt(row.left);
}
