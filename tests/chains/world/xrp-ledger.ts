import { createHash } from "node:crypto";
import { decode, encode, encodeForSigning } from "ripple-binary-codec";
import { deriveAddress, verify } from "ripple-keypairs";
import {
  applyPayment,
  FLAGS,
  type LedgerAccount,
  type LedgerState,
  type XrpFields,
} from "./xrp-payments.ts";

/**
 * A ledger for tests. It applies the rules of the XRP Ledger for payments: sequences, last ledgers, reserves, tags
 * and fees. It distinguishes an open ledger from a validated one. Bytes and signatures are read by the ledger's own
 * library, which the service does not have. It was never compared with rippled.
 */
export interface XrpChain {
  readonly networkId: number;
  /** The validated ledgers, the oldest first. */
  readonly ledgers: readonly XrpLedger[];
  /** The accounts with the transactions of the open ledger. */
  readonly open: LedgerState;
  /** The fee that the open ledger asks for. */
  fee: bigint;
  /** Whether the network takes what is submitted. Otherwise it says so, and no ledger gets it. */
  takes: boolean;
  /** The drops that the market gives for a partial payment. */
  liquidity: bigint;
  submit(blob: string): SubmitResult;
  /** Closes the open ledger. It is validated at once. */
  close(count?: number): void;
  /** Returns a transaction that was submitted. As rippled does, a server remembers one that no ledger took. */
  find(hash: string): XrpEntry | undefined;
}

export interface XrpLedger {
  readonly index: number;
  readonly hash: string;
  readonly parent: string;
  readonly closeTime: number;
  readonly entries: readonly XrpEntry[];
  readonly state: LedgerState;
}

export interface XrpEntry {
  readonly hash: string;
  readonly transaction: XrpFields;
  readonly meta: object | undefined;
  /** Undefined while no validated ledger has it. */
  readonly ledger: number | undefined;
}

export interface SubmitResult {
  readonly engine_result: string;
  readonly tx_json?: object;
}

interface Waiting {
  readonly blob: string;
  readonly hash: string;
  readonly transaction: XrpFields;
}

export const BASE_FEE = 10n;
export const RESERVE = 1_000_000n;
export const INCREMENT = 200_000n;
const FIRST_INDEX = 1_000;

const half = (prefix: string, hex: string): string =>
  createHash("sha512")
    .update(Buffer.from(prefix + hex, "hex"))
    .digest("hex")
    .slice(0, 64)
    .toUpperCase();

export function makeXrpChain(networkId = 21_337): XrpChain {
  const open: LedgerState = new Map();
  const ledgers: XrpLedger[] = [];
  let pending: Waiting[] = [];
  let held: Waiting[] = [];
  const byHash = new Map<string, XrpEntry>();

  const nextIndex = (): number => (ledgers.at(-1)?.index ?? FIRST_INDEX - 1) + 1;
  const attempt = (one: Waiting, state: LedgerState) => {
    const early = tooEarlyOrLate(one.transaction, state, nextIndex());
    if (early !== undefined) return { result: early, meta: undefined };
    return applyPayment(one.transaction, state, {
      index: nextIndex(),
      reserve: RESERVE,
      increment: INCREMENT,
      liquidity: chain.liquidity,
    });
  };
  const offer = (one: Waiting): string => {
    if (byHash.get(one.hash)?.ledger !== undefined) return "tefALREADY";
    if (pending.some(({ hash }) => hash === one.hash)) return "tefALREADY";
    if (BigInt(String(one.transaction["Fee"])) < chain.fee) return "telINSUF_FEE_P";
    const { result } = attempt(one, open);
    if (result === "terPRE_SEQ" && !held.some(({ hash }) => hash === one.hash)) held.push(one);
    if (!isApplied(result)) return result;
    pending.push(one);
    return result;
  };
  const retryHeld = (): void => {
    const waiting = held;
    held = [];
    for (const one of waiting) offer(one);
  };
  const closeOne = (): void => {
    const parent = ledgers.at(-1);
    const state: LedgerState = cloneState(parent?.state ?? open);
    const index = nextIndex();
    const entries: XrpEntry[] = [];
    for (const one of pending) {
      const { result, meta } = attempt(one, state);
      if (!isApplied(result)) continue;
      const entry = { ...one, meta, ledger: index };
      entries.push(entry);
      byHash.set(one.hash, entry);
    }
    const names = Buffer.from([index, ...entries.map(({ hash }) => hash)].join(" ")).toString(
      "hex",
    );
    const hash = half("4C575200", (parent?.hash ?? "") + names);
    const closeTime = Math.floor(Date.now() / 1_000) - 946_684_800;
    ledgers.push({
      index,
      hash,
      parent: parent?.hash ?? "0".repeat(64),
      closeTime,
      entries,
      state,
    });
    const left = pending.filter((one) => byHash.get(one.hash)?.ledger === undefined);
    pending = [];
    open.clear();
    for (const [address, account] of cloneState(state)) open.set(address, account);
    for (const one of left) offer(one);
    retryHeld();
  };
  const chain: XrpChain = {
    networkId,
    ledgers,
    open,
    fee: BASE_FEE,
    takes: true,
    liquidity: 0n,
    submit: (blob) => {
      const read = readBlob(blob, networkId);
      if (typeof read === "string") return { engine_result: read };
      const existing = byHash.get(read.hash);
      byHash.set(read.hash, existing ?? { ...read, meta: undefined, ledger: undefined });
      if (!chain.takes) return { engine_result: "tesSUCCESS", tx_json: { hash: read.hash } };
      const result = offer(read);
      if (isApplied(result)) retryHeld();
      return { engine_result: result, tx_json: { hash: read.hash } };
    },
    close: (count = 1) => {
      for (let done = 0; done < count; done += 1) closeOne();
    },
    find: (hash) => byHash.get(hash),
  };
  return chain;
}

const cloneState = (state: LedgerState): LedgerState =>
  new Map([...state].map(([address, account]) => [address, { ...account }]));

/** A `tec` result is in a ledger too: it takes the fee and the sequence. */
const isApplied = (result: string): boolean => result === "tesSUCCESS" || result.startsWith("tec");

/** Reads and checks a transaction without a ledger. Returns the result of one that no ledger can have. */
function readBlob(blob: string, networkId: number): Waiting | string {
  let transaction: XrpFields;
  try {
    transaction = decode(blob) as XrpFields;
    if (encode(transaction as never) !== blob) return "temMALFORMED";
  } catch {
    return "temMALFORMED";
  }
  const { SigningPubKey: key, TxnSignature: signature, Account: account } = transaction;
  const signed = encodeForSigning(transaction as never);
  if (!isSignature(signed, String(signature), String(key))) return "temBAD_SIGNATURE";
  if (deriveAddress(String(key)) !== account) return "tefBAD_AUTH";
  const named = transaction["NetworkID"];
  if (networkId > 1_024 && named === undefined) return "telREQUIRES_NETWORK_ID";
  if (networkId <= 1_024 && named !== undefined) return "telNETWORK_ID_MAKES_TX_NON_CANONICAL";
  if (named !== undefined && named !== networkId) return "telWRONG_NETWORK";
  const { TransactionType: type, Destination: destination, Amount: amount } = transaction;
  if (type !== "Payment" && type !== "AccountSet") return "temUNKNOWN";
  if (type === "Payment" && transaction["SendMax"] === undefined) {
    if (destination === account) return "temREDUNDANT";
    if (typeof amount !== "string" || BigInt(amount) <= 0n) return "temBAD_AMOUNT";
    const flags = BigInt(Number(transaction["Flags"] ?? 0));
    if ((flags & FLAGS.partial) !== 0n) return "temBAD_SEND_XRP_PARTIAL";
  }
  return { blob, hash: half("54584E00", blob), transaction };
}

function isSignature(signed: string, signature: string, key: string): boolean {
  try {
    return verify(signed, signature, key);
  } catch {
    return false;
  }
}

/** Returns the result of a transaction whose turn has not come, or has passed. */
function tooEarlyOrLate(
  transaction: XrpFields,
  state: LedgerState,
  index: number,
): string | undefined {
  const account: LedgerAccount | undefined = state.get(String(transaction["Account"]));
  if (!account) return "terNO_ACCOUNT";
  const sequence = Number(transaction["Sequence"]);
  if (sequence > account.sequence) return "terPRE_SEQ";
  if (sequence < account.sequence) return "tefPAST_SEQ";
  const last = transaction["LastLedgerSequence"];
  if (last !== undefined && Number(last) < index) return "tefMAX_LEDGER";
  return account.balance < BigInt(String(transaction["Fee"])) ? "terINSUF_FEE_B" : undefined;
}
