import type { Quorum } from "../agree.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { readHistory } from "./account-history.ts";
import { readMove, type XrpMove } from "./moves.ts";
import type { XrpAnswer } from "./rpc.ts";

export interface XrpQuestion {
  readonly hash: string;
  /** The account whose change counts. */
  readonly account: string;
}

/** Returns the transaction if a validated ledger has it, as enough endpoints and the operator's own report, or null. */
export function findValidated(quorum: Quorum, question: XrpQuestion): Promise<XrpMove | null> {
  return quorum.agree({
    what: `transaction ${question.hash}`,
    ask: (rpc) => readValidated(rpc, question),
    keyOf: (move) => (move === null ? "none" : Object.values(move).map(String).join(" ")),
    needsOwn: true,
  });
}

async function readValidated(rpc: Rpc, { hash, account }: XrpQuestion): Promise<XrpMove | null> {
  const answer = await lookUp(rpc, { transaction: hash, binary: false });
  // The open ledger's result is a forecast: consensus may leave the transaction out.
  if (answer === undefined || answer["validated"] !== true) return null;
  const move = readMove(rpc, answer, account);
  if (move.hash !== hash) {
    throw new EndpointFault(rpc.name, `asked for transaction ${hash}, got ${move.hash}`);
  }
  return move;
}

/** Returns what an endpoint has of a transaction, in a ledger or waiting for one. */
export async function lookUp(rpc: Rpc, parameters: object): Promise<XrpAnswer | undefined> {
  const [answer] = (await rpc.ask([["tx", parameters]])) as XrpAnswer[];
  if (answer?.error === "txnNotFound") return undefined;
  if (answer && answer.error === undefined) return answer;
  throw new EndpointFault(rpc.name, `tx: ${String(answer?.error).slice(0, 100)}`);
}

/** The ledgers of the first search for the transaction that used a sequence. Each later search has twice as many. */
const FIRST_SPAN = 8n;
/** The most searches. Together they cover the ledgers of about three weeks. */
const SPANS_MAX = 16;

/**
 * Finds the transaction that used a sequence of the account, from the final ledger backwards. It is the proof that none of
 * ours can be validated. The spans begin short, because an endpoint need not have a long history.
 */
export async function findTaker(
  quorum: Quorum,
  { account, sequence, final }: { readonly account: string; sequence: bigint; final: bigint },
): Promise<XrpMove> {
  const what = `sequence ${sequence} of ${account}`;
  let to = final;
  let span = FIRST_SPAN;
  for (let count = 0; count < SPANS_MAX && to > 0n; count += 1) {
    const from = to > span ? to - span + 1n : 1n;
    const ask = async (rpc: Rpc): Promise<XrpMove | null | undefined> => {
      const moves = await readHistory(rpc, account, { from, to });
      const isTaker = (move: XrpMove) => move.sender === account && move.sequence === sequence;
      return moves && (moves.find(isTaker) ?? null);
    };
    const keyOf = (move: XrpMove | null | undefined): string | undefined =>
      move === undefined ? undefined : (move?.hash ?? "none");
    const taker = await quorum.agree({ what, ask, keyOf, needsOwn: true });
    if (taker) return taker;
    to = from - 1n;
    span *= 2n;
  }
  throw new Error(
    `the endpoints have no ledger whose transaction used ${what}. Add an endpoint with a longer history`,
  );
}
