import { createHash } from "node:crypto";
import type {
  ChainGateway,
  ChainTransfer,
  SeenTransaction,
  SignedTransaction,
} from "../../domain/ports/chain-gateway.ts";
import type { IdSource } from "../../domain/ports/id-source.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import { addressInForm } from "./address-forms.ts";
import { blockHashOf, depositsTo } from "./deposits.ts";
import { behaviourOf } from "./magic-addresses.ts";
import { chainStatement } from "./statement.ts";
import {
  findTransaction,
  insertTransaction,
  mineFirst,
  nameOf,
  nextNonceOf,
  type StoredTransaction,
  tagOf,
} from "./store.ts";
import { transactionHashOf } from "./transaction-hash.ts";

/** The time between blocks. It is short, so that a purchase is final in a second or two on any network. */
const BLOCK_MS = 25;
/** Only a transaction that is meant to be stuck waits this long for a block. */
const STUCK_AFTER_MS = 400;
/** A reorganised transaction leaves its first block after this time and enters a second one later. */
const FIRST_BLOCK_MS = 400;
const SECOND_BLOCK_MS = 700;

/** A transfer signed by the sandbox. The salt makes two signatures two different transactions. */
type SignedTransfer = Omit<ChainTransfer, "units" | "nonce"> & {
  readonly units: string;
  readonly nonce: string;
  readonly fee: number;
  readonly salt: string;
};

export interface SandboxChainOptions {
  readonly database: Queryable;
  readonly ids: IdSource;
  /** Returns the address format of a network in the catalogue; undefined for an unknown network. */
  readonly addressForm: (networkCode: string) => string | undefined;
}

/** The sandbox's chains. They keep their own list of transfers in the schema `sandbox`. */
export function sandboxChain(options: SandboxChainOptions): ChainGateway {
  const { database, ids } = options;
  return {
    name: "sandbox",
    sign: async (transfer) => sign(signedTransfer(transfer, ids.uuid())),
    broadcast: (transaction) => broadcast(database, transaction),
    lookUp: async (networkCode, transactionHash) => {
      const found = await findTransaction(database, { networkCode, transactionHash });
      return found && toSeen(found);
    },
    replace: async (stuck) => {
      const { fee, ...transfer } = readTransfer(stuck);
      return sign({ ...transfer, fee: fee + 1, salt: ids.uuid() });
    },
    depositAddress: (request) => depositAddress(options, request),
    depositsTo: (address) => depositsTo(database, address),
    nextNonce: (networkCode) => nextNonceOf(database, networkCode),
    statement: chainStatement(database),
  };
}

const signedTransfer = (transfer: ChainTransfer, salt: string): SignedTransfer => ({
  ...transfer,
  units: String(transfer.units),
  nonce: String(transfer.nonce),
  fee: 1,
  salt,
});

function sign(transfer: SignedTransfer): SignedTransaction {
  const { networkCode } = transfer;
  const bytes = Buffer.from(JSON.stringify(transfer));
  return { networkCode, transactionHash: transactionHashOf(networkCode, bytes), bytes };
}

/** Parses a signed transfer. Throws when the bytes do not match the hash. */
function readTransfer({ networkCode, transactionHash, bytes }: SignedTransaction): SignedTransfer {
  if (transactionHashOf(networkCode, bytes) !== transactionHash) {
    throw new Error("the bytes of the transaction do not match its hash");
  }
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as SignedTransfer;
}

async function broadcast(database: Queryable, transaction: SignedTransaction): Promise<void> {
  const transfer = readTransfer(transaction);
  const { networkCode, nonce } = transfer;
  const behaviour = behaviourOf(transfer.address);
  const waits = behaviour === "stuck" ? transfer.fee === 1 : behaviour === "first_wins";
  const isNew = await insertTransaction(database, {
    ...transfer,
    transactionHash: transaction.transactionHash,
    mined: !waits,
    reorganised: behaviour === "reorganised",
  });
  if (behaviour === "first_wins" && transfer.fee > 1) {
    await mineFirst(database, { networkCode, nonce });
  }
  if (behaviour === "answer_lost" && isNew) throw new Error("the sandbox chain did not answer");
}

function toSeen(found: StoredTransaction): SeenTransaction {
  const unmined = { confirmations: 0, blockHash: null };
  if (found.minedMs === null) {
    return found.isBeaten
      ? { ...unmined, state: "replaced", isStuck: false }
      : { ...unmined, state: "mempool", isStuck: found.ageMs >= STUCK_AFTER_MS };
  }
  const [confirmations, block] = found.reorganised
    ? reorganised(found.minedMs)
    : [Math.floor(found.minedMs / BLOCK_MS), 1];
  return confirmations === 0
    ? { ...unmined, state: "mempool", isStuck: false }
    : {
        state: "in_block",
        confirmations,
        blockHash: blockHashOf(nameOf(found), block),
        isStuck: false,
      };
}

/** Returns the confirmations and the number of the block: the first, none, then the second. */
function reorganised(minedMs: number): readonly [confirmations: number, block: number] {
  if (minedMs < FIRST_BLOCK_MS) return [minedMs < BLOCK_MS ? 0 : 1, 1];
  if (minedMs < SECOND_BLOCK_MS) return [0, 1];
  return [Math.floor((minedMs - SECOND_BLOCK_MS) / BLOCK_MS), 2];
}

/** On the XRP Ledger one account serves all orders, and a destination tag tells them apart. */
async function depositAddress(
  { database, addressForm }: SandboxChainOptions,
  request: { readonly networkCode: string; readonly reference: string },
) {
  const { networkCode, reference } = request;
  const form = addressForm(networkCode);
  if (form === undefined) throw new Error(`the sandbox has no network ${networkCode}`);
  const seedOf = (text: string): Uint8Array =>
    createHash("sha256").update(`exchange sandbox deposit:${networkCode}:${text}`).digest();
  return form === "xrp"
    ? {
        networkCode,
        address: addressInForm(form, seedOf("everybody")),
        memo: String(await tagOf(database, request)),
      }
    : { networkCode, address: addressInForm(form, seedOf(reference)), memo: null };
}
