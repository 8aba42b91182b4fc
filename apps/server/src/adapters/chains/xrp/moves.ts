import { EndpointFault, type Rpc } from "../rpc.ts";
import { xrpWordsOf } from "./words.ts";

/** A transaction in a validated ledger, and what it did to one account. */
export interface XrpMove {
  readonly hash: string;
  readonly height: bigint;
  /** `tesSUCCESS`, or the reason why it only took its fee, such as `tecNO_DST`. */
  readonly result: string;
  readonly sender: string;
  readonly destination: string | null;
  readonly tag: string | null;
  readonly sequence: bigint;
  /** In drops. */
  readonly fee: bigint;
  /** The drops that the account has more, or fewer, by the transaction and its fee. */
  readonly change: bigint;
  /** The drops that a payment brought to its destination. Null for any other transaction, and for other assets. */
  readonly delivered: bigint | null;
}

export const SUCCESS = "tesSUCCESS";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a transaction with its metadata. `Amount` says what a payment should bring at most: one that is partial brings less,
 * and only the metadata say how much. The change of the account's balance must say the same.
 */
export function readMove(rpc: Rpc, entry: Fields, account: string): XrpMove {
  const words = xrpWordsOf(rpc.name);
  const transaction = words.object(entry["tx"] ?? entry);
  const meta = words.object(entry["meta"]);
  const type = String(transaction["TransactionType"]);
  const move = {
    hash: words.hash(transaction["hash"]),
    height: words.whole(transaction["ledger_index"]),
    result: words.result(meta["TransactionResult"]),
    sender: words.address(transaction["Account"]),
    destination: optional(transaction["Destination"], words.address),
    tag: optional(transaction["DestinationTag"], (value) => String(words.whole(value))),
    sequence: words.whole(transaction["Sequence"] ?? "0"),
    fee: words.drops(transaction["Fee"]),
    change: changeOf(rpc, meta, account),
    delivered: type === "Payment" ? deliveredIn(meta) : null,
  };
  const { sender, destination, delivered, change } = move;
  const isIncoming = type === "Payment" && destination === account && sender !== account;
  if (isIncoming && change !== (delivered ?? 0n)) {
    throw new EndpointFault(
      rpc.name,
      `${move.hash} delivered ${delivered ?? 0n} drops, and the balance of ${account} changed by ${change}`,
    );
  }
  return move;
}

const optional = <Value>(value: unknown, read: (value: unknown) => Value): Value | null =>
  value === undefined ? null : read(value);

/** An amount of another asset is an object, and a payment that failed delivered nothing. */
function deliveredIn(meta: Fields): bigint | null {
  const { delivered_amount: amount } = meta as { readonly delivered_amount?: unknown };
  return typeof amount === "string" && /^[0-9]{1,18}$/.test(amount) ? BigInt(amount) : null;
}

/** Returns by how much the balance of the account changed. */
function changeOf(rpc: Rpc, meta: Fields, account: string): bigint {
  const words = xrpWordsOf(rpc.name);
  let change = 0n;
  for (const affected of words.list(meta["AffectedNodes"] ?? [])) {
    for (const [kind, node] of Object.entries(affected)) {
      const { LedgerEntryType, NewFields, FinalFields, PreviousFields } = words.object(node);
      if (LedgerEntryType !== "AccountRoot") continue;
      const after = words.object((kind === "CreatedNode" ? NewFields : FinalFields) ?? {});
      if (after["Account"] !== account) continue;
      const balance = words.drops(after["Balance"] ?? "0");
      const before = words.object(PreviousFields ?? {});
      const { Balance: earlier = after["Balance"] ?? "0" } = before;
      change += kind === "CreatedNode" ? balance : balance - words.drops(earlier);
    }
  }
  return change;
}
