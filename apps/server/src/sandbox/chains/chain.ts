import { createHash } from "node:crypto";
import type { Network } from "../../domain/catalogue/network.ts";
import type {
  ChainGateway,
  ChainOutput,
  ChainSend,
  SignedTransaction,
} from "../../domain/ports/chain-gateway.ts";
import type { IdSource } from "../../domain/ports/id-source.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import { addressInForm } from "./address-forms.ts";
import { depositsTo } from "./deposits.ts";
import { follow } from "./follow.ts";
import { behaviourOf } from "./magic-addresses.ts";
import { chainStatement } from "./statement.ts";
import {
  insertTransaction,
  mineFirst,
  nextNonceOf,
  refusePlace,
  tagOf,
  takePlace,
} from "./store.ts";
import { transactionHashOf } from "./transaction-hash.ts";

/** A transfer signed by the sandbox. The salt makes two signatures two different transactions. */
type SignedTransfer = Omit<ChainOutput, "units"> & {
  readonly networkCode: string;
  readonly units: string;
  readonly nonce: string;
  readonly fee: number;
  readonly salt: string;
};

export interface SandboxChainOptions {
  readonly database: Queryable;
  readonly ids: IdSource;
  /** Returns a network of the catalogue; undefined for an unknown one. */
  readonly network: (
    networkCode: string,
  ) => Pick<Network, "addressFormat" | "confirmations"> | undefined;
}

/** The sandbox's chains. They keep their own list of transfers in the schema `sandbox`. */
export function sandboxChain(options: SandboxChainOptions): ChainGateway {
  const { database, ids, network } = options;
  return {
    name: "sandbox",
    sign: async (send) => {
      const transfer = signedTransfer(send, ids.uuid());
      if (behaviourOf(transfer.address) === "hole" && (await refusePlace(database, transfer))) {
        throw new Error("the sandbox signer did not answer");
      }
      return sign(transfer);
    },
    broadcast: (transaction) => broadcast(database, transaction),
    follow: (send, signed) => {
      const required = network(send.networkCode)?.confirmations ?? Number.POSITIVE_INFINITY;
      return follow(database, { send, signed, required });
    },
    replace: async (_send, stuck) => {
      const { fee, ...transfer } = readTransfer(stuck);
      return sign({ ...transfer, fee: fee + 1, salt: ids.uuid() });
    },
    depositAddress: (request) => depositAddress(options, request),
    depositsTo: (address) => depositsTo(database, address),
    nextPlace: (networkCode) => nextNonceOf(database, networkCode),
    statement: chainStatement(database),
  };
}

/** A cancel moves nothing to our own wallet. */
const NOTHING = { assetReference: "", address: "ourselves", memo: null, units: 0n };

/** Every network of the sandbox has accounts, so a transaction has one output. */
function signedTransfer(
  { id, networkCode, purpose, place, outputs }: ChainSend,
  salt: string,
): SignedTransfer {
  const [output] = purpose === "cancel" ? [{ intentId: id, ...NOTHING }] : outputs;
  if (place?.kind !== "nonce" || output === undefined || outputs.length > 1) {
    throw new Error(`the sandbox signs one output at one place, unlike send ${id}`);
  }
  const units = String(output.units);
  return { ...output, networkCode, units, nonce: String(place.nonce), fee: 1, salt };
}

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
  const { networkCode, nonce, assetReference } = transfer;
  const { transactionHash } = transaction;
  const behaviour = behaviourOf(transfer.address);
  const waits = behaviour === "stuck" ? transfer.fee === 1 : behaviour === "first_wins";
  if (behaviour === "foreign") {
    const other = transactionHashOf(networkCode, Buffer.from(`foreign:${transactionHash}`));
    await takePlace(database, { networkCode, transactionHash: other, assetReference, nonce });
  }
  const isNew = await insertTransaction(database, {
    ...transfer,
    transactionHash,
    mined: !waits,
    reorganised: behaviour === "reorganised",
    movedUnits: movedUnitsOf(transfer),
  });
  if (behaviour === "first_wins" && transfer.fee > 1) {
    await mineFirst(database, { networkCode, nonce });
  }
  if (behaviour === "answer_lost" && isNew) throw new Error("the sandbox chain did not answer");
}

/** The part of a transfer that the token takes, at the address `fee_taken`. */
const TOKEN_FEE_DIVISOR = 100n;

/** Returns the units that arrive, or null for all of them. */
function movedUnitsOf({ address, units }: SignedTransfer): string | null {
  switch (behaviourOf(address)) {
    case "reverted":
      return "0";
    case "fee_taken":
      return String(BigInt(units) - BigInt(units) / TOKEN_FEE_DIVISOR - 1n);
    default:
      return null;
  }
}

/** On the XRP Ledger one account serves all orders, and a destination tag tells them apart. */
async function depositAddress(
  { database, network }: SandboxChainOptions,
  request: { readonly networkCode: string; readonly reference: string },
) {
  const { networkCode, reference } = request;
  const form = network(networkCode)?.addressFormat;
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
