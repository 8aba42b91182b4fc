import type { TronTransfer } from "../../../domain/wallets/tron.ts";
import type { Quorum } from "../agree.ts";
import { TRANSFER, topicOf } from "../evm/logs.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { toEvmForm } from "./addresses.ts";
import { UNITS } from "./rpc.ts";

/** A transaction in a block, as a node reports what it did. */
export interface MinedTransaction {
  readonly hash: string;
  readonly height: bigint;
  /** `SUCCESS`, or why it moved nothing, such as `REVERT` or `OUT_OF_ENERGY`. */
  readonly result: string;
  /** The TRX that it burnt, in sun. */
  readonly networkFee: bigint;
  /** The units that the token's events moved from our wallet to the recipient. */
  readonly moved: bigint;
  /** The number of all events of the token's contract. */
  readonly events: number;
}

export interface MinedQuestion {
  readonly hash: string;
  readonly from: string;
  readonly transfer: Pick<TronTransfer, "to" | "contract">;
  /** Whether only solidified blocks count. Then the operator's own nodes must agree. */
  readonly isFinal: boolean;
}

interface TransactionInfo {
  readonly id?: unknown;
  readonly fee?: unknown;
  readonly blockNumber?: unknown;
  readonly result?: unknown;
  readonly receipt?: { readonly result?: unknown };
  readonly log?: unknown;
}

interface NodeLog {
  readonly address?: unknown;
  readonly topics?: unknown;
  readonly data?: unknown;
}

const WORD = /^[0-9a-f]{64}$/;
const RESULT = /^[A-Z][A-Z_]{2,60}$/;
export const SUCCESS = "SUCCESS";

/** Returns the transaction if a block has it, as enough endpoints report, or null. */
export function findMined(
  quorum: Quorum,
  question: MinedQuestion,
): Promise<MinedTransaction | null> {
  return quorum.agree({
    what: `transaction ${question.hash}`,
    ask: (rpc) => readMined(rpc, question),
    keyOf: (mined) => (mined === null ? "none" : Object.values(mined).join(" ")),
    ...(question.isFinal ? { needsOwn: true as const } : {}),
  });
}

async function readMined(rpc: Rpc, question: MinedQuestion): Promise<MinedTransaction | null> {
  const info = await readInfo(rpc, question.hash, question.isFinal ? "solid" : "any");
  if (info === undefined) return null;
  const { hash, from, transfer } = question;
  const { blockNumber, fee = "0", result, receipt = {}, log = [] } = info;
  const isRead = isDigits(blockNumber) && isDigits(fee) && Array.isArray(log);
  if (!isRead) throw new EndpointFault(rpc.name, `the answer about ${hash} cannot be read`);
  // A transfer of TRX runs no code, so it has no result of its own.
  const { result: ended = transfer.contract === null ? SUCCESS : undefined } = receipt;
  if (typeof ended !== "string" || !RESULT.test(ended)) {
    throw new EndpointFault(rpc.name, `the result of ${hash} is not known`);
  }
  return {
    hash,
    height: BigInt(blockNumber),
    result: result === "FAILED" && ended === SUCCESS ? "FAILED" : ended,
    networkFee: BigInt(fee),
    ...readEvents(log as NodeLog[], { from, transfer }),
  };
}

const isDigits = (value: unknown): value is string =>
  typeof value === "string" && UNITS.test(value);

/** Returns what a node reports about a transaction in a block, or in a solidified one. Undefined where it has none. */
export async function readInfo(
  rpc: Rpc,
  hash: string,
  blocks: "any" | "solid",
): Promise<TransactionInfo | undefined> {
  const room = blocks === "solid" ? "/walletsolidity" : "/wallet";
  const [answer] = await rpc.ask([[`${room}/gettransactioninfobyid`, { value: hash }]]);
  const info = answer as TransactionInfo;
  if (Object.keys(info).length === 0) return undefined;
  if (info.id === hash) return info;
  throw new EndpointFault(rpc.name, `no answer about transaction ${hash}`);
}

/** A node writes the addresses of events without Tron's prefix, and words without `0x`. */
function readEvents(
  logs: readonly NodeLog[],
  { from, transfer: { to, contract } }: Pick<MinedQuestion, "from" | "transfer">,
): { readonly moved: bigint; readonly events: number } {
  if (contract === null) return { moved: 0n, events: 0 };
  const token = toEvmForm(contract).slice(2);
  const ofToken = logs.filter(({ address }) => String(address).toLowerCase() === token);
  const wanted = [TRANSFER, topicOf(toEvmForm(from)), topicOf(toEvmForm(to))].map((topic) =>
    topic.slice(2),
  );
  const moved = ofToken
    .filter(({ topics, data }) => String(topics) === String(wanted) && WORD.test(String(data)))
    .reduce((sum, { data }) => sum + BigInt(`0x${String(data)}`), 0n);
  return { moved, events: ofToken.length };
}
