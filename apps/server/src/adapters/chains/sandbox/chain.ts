import { createHash } from "node:crypto";
import type {
  ChainGateway,
  ChainTransfer,
  SeenTransaction,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import type { IdSource } from "../../../domain/ports/id-source.ts";
import { type Queryable, statement } from "../../../storage/database.ts";
import { transactionHashOf } from "./transaction-hash.ts";

/** The sandbox's blocks come fast, so that a purchase is final in a second or two on any network. */
const BLOCK_MS = 25;

const BROADCAST = statement(
  "sandbox_chain_broadcast",
  `insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id,
     asset_reference, address, memo, units)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
);
const LOOK_UP = statement(
  "sandbox_chain_look_up",
  `select extract(epoch from clock_timestamp() - broadcast_at)::float8 * 1000 as "ageMs"
   from sandbox.chain_transactions where network_code = $1 and transaction_hash = $2`,
);

/** A transfer as the sandbox signs it. Salted: signing twice makes two different transactions. */
type SignedTransfer = Omit<ChainTransfer, "units"> & {
  readonly units: string;
  readonly salt: string;
};

/** The sandbox's chains. They keep their own list of transfers in the schema `sandbox`. */
export function sandboxChain(options: {
  readonly database: Queryable;
  readonly ids: IdSource;
}): ChainGateway {
  return {
    name: "sandbox",
    sign: async (transfer) => sign(transfer, options.ids.uuid()),
    broadcast: (transaction) => broadcast(options.database, transaction),
    lookUp: (networkCode, hash) => lookUp(options.database, [networkCode, hash]),
  };
}

function sign(transfer: ChainTransfer, salt: string): SignedTransaction {
  const signed: SignedTransfer = { ...transfer, units: String(transfer.units), salt };
  const bytes = Buffer.from(JSON.stringify(signed));
  return {
    networkCode: transfer.networkCode,
    transactionHash: transactionHashOf(transfer.networkCode, bytes),
    bytes,
  };
}

async function broadcast(database: Queryable, transaction: SignedTransaction): Promise<void> {
  const { networkCode, transactionHash, bytes } = transaction;
  if (transactionHashOf(networkCode, bytes) !== transactionHash) {
    throw new Error("the transaction's bytes do not have the hash they are said to have");
  }
  const transfer = JSON.parse(Buffer.from(bytes).toString("utf8")) as SignedTransfer;
  await database.query(BROADCAST, [
    networkCode,
    transactionHash,
    transfer.intentId,
    transfer.assetReference,
    transfer.address,
    transfer.memo,
    transfer.units,
  ]);
}

async function lookUp(
  database: Queryable,
  key: readonly [networkCode: string, hash: string],
): Promise<SeenTransaction | undefined> {
  const [row] = await database.query<{ ageMs: number }>(LOOK_UP, key);
  if (!row) return undefined;
  const confirmations = Math.floor(row.ageMs / BLOCK_MS);
  const block = createHash("sha256")
    .update(`block:${key.join(":")}`)
    .digest("hex");
  return { confirmations, blockHash: confirmations > 0 ? block : null };
}
