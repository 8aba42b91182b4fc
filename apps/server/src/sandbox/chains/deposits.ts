import { createHash } from "node:crypto";
import type { ChainDeposit, DepositAddress } from "../../domain/ports/chain-gateway.ts";
import { type Queryable, statement } from "../../storage/postgres/database.ts";
import { askAgainMsOf } from "./follow.ts";
import { transactionHashOf } from "./transaction-hash.ts";

/** Coins sent to one of our addresses, in the books of the chain. */
export interface StoredDeposit {
  /** The sandbox's id. The chain identifies a deposit by transaction hash and output. */
  readonly id: string;
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly output: number;
  readonly assetReference: string;
  readonly units: string;
  readonly confirmations: number;
  readonly orphaned: boolean;
  readonly blocks: number;
  readonly ageMs: number;
}

const COLUMNS = `id, network_code as "networkCode", transaction_hash as "transactionHash", output,
  asset_reference as "assetReference", units::text, confirmations, orphaned, blocks,
  extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as "ageMs"`;

const OF_ADDRESS = statement(
  "sandbox_deposits_of_address",
  `select ${COLUMNS} from sandbox.chain_deposits
   where network_code = $1 and address = $2 and coalesce(memo, '') = coalesce($3::text, '')
   order by created_at, id`,
);
const INSERT = statement(
  "sandbox_deposit_insert",
  `insert into sandbox.chain_deposits (id, network_code, address, memo, asset_reference, units,
     transaction_hash, confirmations, blocks)
   values ($1, $2, $3, $4, $5, $6, $7, $8, least($8, 1)) returning ${COLUMNS}`,
);
// The first confirmation, and the first after a reorganisation, puts the deposit into a new block.
const CONFIRM = statement(
  "sandbox_deposit_confirm",
  `update sandbox.chain_deposits set orphaned = false, confirmations = $2,
     blocks = blocks + case when confirmations = 0 and $2 > 0 then 1 else 0 end
   where id = $1 returning ${COLUMNS}`,
);
const ORPHAN = statement(
  "sandbox_deposit_orphan",
  `update sandbox.chain_deposits set orphaned = true, confirmations = 0 where id = $1
   returning ${COLUMNS}`,
);
/** Returns the deposits to an address, oldest first. */
export const listDeposits = (
  queryable: Queryable,
  { networkCode, address, memo }: DepositAddress,
): Promise<StoredDeposit[]> => queryable.query(OF_ADDRESS, [networkCode, address, memo]);

/** Returns the deposits that a chain shows at an address, oldest first. */
export async function depositsTo(
  queryable: Queryable,
  address: DepositAddress,
): Promise<readonly ChainDeposit[]> {
  const deposits = await listDeposits(queryable, address);
  return deposits.map(toChainDeposit);
}

function toChainDeposit(deposit: StoredDeposit): ChainDeposit {
  const { transactionHash, confirmations } = deposit;
  const isMined = confirmations > 0;
  const key = `${deposit.networkCode}:${transactionHash}`;
  return {
    id: externalIdOf(deposit),
    assetReference: deposit.assetReference,
    units: BigInt(deposit.units),
    state: stateOf(deposit),
    confirmations,
    blockHash: isMined ? blockHashOf(key, deposit.blocks) : null,
    askAgainMs: askAgainMsOf(deposit.ageMs),
  };
}

/** Returns the chain's id of a deposit: transaction hash and output number. */
export const externalIdOf = ({ transactionHash, output }: StoredDeposit): string =>
  `${transactionHash}:${output}`;

export function stateOf({ orphaned, confirmations }: StoredDeposit): ChainDeposit["state"] {
  if (orphaned) return "orphaned";
  return confirmations > 0 ? "in_block" : "mempool";
}

export interface NewDeposit {
  readonly id: string;
  readonly to: DepositAddress;
  readonly assetReference: string;
  readonly units: bigint;
  readonly confirmations: number;
}

/** Sends coins to an address. */
export async function insertDeposit(
  queryable: Queryable,
  { id, to, assetReference, units, confirmations }: NewDeposit,
): Promise<StoredDeposit> {
  const hash = transactionHashOf(to.networkCode, Buffer.from(`deposit:${id}`));
  const values = [id, to.networkCode, to.address, to.memo, assetReference, units, hash];
  return requireRow(await queryable.query<StoredDeposit>(INSERT, [...values, confirmations]));
}

/** Sets the confirmations of a deposit, in a new block if it is in none. */
export const confirmDeposit = async (
  queryable: Queryable,
  id: string,
  confirmations: number,
): Promise<StoredDeposit> =>
  requireRow(await queryable.query<StoredDeposit>(CONFIRM, [id, confirmations]));

/** Drops the block of a deposit. */
export const orphanDeposit = async (queryable: Queryable, id: string): Promise<StoredDeposit> =>
  requireRow(await queryable.query<StoredDeposit>(ORPHAN, [id]));

function requireRow(rows: readonly StoredDeposit[]): StoredDeposit {
  const [row] = rows;
  if (!row) throw new Error("the sandbox chain has no such deposit");
  return row;
}

/** Returns the hash of a transaction's block. A reorganisation has another block number, so another hash. */
const blockHashOf = (key: string, block: number): string =>
  createHash("sha256").update(`block:${key}:${block}`).digest("hex");
