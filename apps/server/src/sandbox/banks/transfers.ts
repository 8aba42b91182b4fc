import type { BankDeposit } from "../../domain/ports/bank-gateway.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";
import { ASK_AGAIN_MS } from "./ask-again.ts";

/** An incoming transfer in the books of the bank. */
export interface StoredTransfer {
  readonly id: string;
  readonly assetReference: string;
  readonly units: string;
  readonly state: BankDeposit["state"];
  readonly askAgainMs: number;
}

const COLUMNS = `id, asset_reference as "assetReference", units::text,
  case when rejected then 'rejected' when business_now() < settles_at then 'in_flight'
    else 'settled' end as state,
  ${ASK_AGAIN_MS}`;

const OF_REFERENCE = statement(
  "sandbox_transfers_of_reference",
  `select ${COLUMNS} from sandbox.bank_transfers where reference = $1 order by created_at, id`,
);
const INSERT = statement(
  "sandbox_transfer_insert",
  `insert into sandbox.bank_transfers (id, reference, asset_reference, units, returns, settles_at)
   values ($1, $2, $3, $4, $5, business_now() + $6::float8 * interval '1 second')
   returning ${COLUMNS}`,
);
const FIND = statement(
  "sandbox_transfer_find",
  `select ${COLUMNS} from sandbox.bank_transfers where id = $1`,
);
const SETTLE = statement(
  "sandbox_transfer_settle",
  `update sandbox.bank_transfers set settles_at = business_now()
   where id = $1 and not rejected and business_now() < settles_at`,
);
const REJECT = statement(
  "sandbox_transfer_reject",
  `update sandbox.bank_transfers set rejected = true
   where id = $1 and business_now() < settles_at`,
);

/** Returns the transfers with a reference, in flight or arrived, oldest first. */
export async function transfersTo(
  queryable: Queryable,
  reference: string,
): Promise<readonly BankDeposit[]> {
  const rows = await queryable.query<StoredTransfer>(OF_REFERENCE, [reference]);
  return rows.map(({ units, ...transfer }) => ({ ...transfer, units: BigInt(units) }));
}

export interface NewTransfer {
  readonly id: string;
  readonly reference: string;
  readonly assetReference: string;
  readonly units: bigint;
  readonly settlesAfterSeconds: number;
  /** The answer of the sender's bank to a return. */
  readonly returns: "accepted" | "rejected";
}

export async function insertTransfer(
  queryable: Queryable,
  transfer: NewTransfer,
): Promise<StoredTransfer> {
  const { id, reference, assetReference, units, returns, settlesAfterSeconds } = transfer;
  const values = [id, reference, assetReference, units, returns, settlesAfterSeconds];
  const [row] = await queryable.query<StoredTransfer>(INSERT, values);
  if (!row) throw new Error("the sandbox bank stored no transfer");
  return row;
}

export async function findTransfer(
  queryable: Queryable,
  id: string,
): Promise<StoredTransfer | undefined> {
  const [row] = await queryable.query<StoredTransfer>(FIND, [id]);
  return row;
}

/** Settles a transfer in flight. Any other transfer does not change. */
export async function settleTransfer(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(SETTLE, [id]);
}

/** Rejects a transfer in flight. Any other transfer does not change. */
export async function rejectTransfer(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(REJECT, [id]);
}
