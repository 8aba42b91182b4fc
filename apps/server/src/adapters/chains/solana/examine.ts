import type { SolanaToken } from "../../../domain/wallets/solana-token-message.ts";
import {
  type EndpointQuestions,
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import { AnswerTooLong, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { ACCOUNTS_AT_ONCE, questionAboutAccounts, SLICE } from "./accounts.ts";
import { readBlock } from "./blocks.ts";
import {
  type Commitment,
  isBehind,
  objectOf,
  openSolanaEndpoints,
  openSolanaQuorum,
  QUESTIONS_AT_ONCE,
  type SolanaEndpointsOptions,
  slotAt,
  splitCalls,
  wholeOf,
} from "./endpoints.ts";
import { questionAboutSignatures } from "./signatures.ts";
import { readMintFault } from "./token-accounts.ts";
import { questionAbout } from "./transactions.ts";

/** Asks each endpoint alone, for the operator's check. */
export const examineSolanaEndpoints = (options: SolanaEndpointsOptions): Promise<Examination> =>
  examineEach(openSolanaEndpoints(options), QUESTIONS);

const QUESTIONS: EndpointQuestions = {
  state: readState,
  hashAt: async (rpc, height) => (await readBlock(rpc, height))?.hash ?? null,
  weaknesses: findWeaknesses,
};

async function readState(rpc: Rpc): Promise<EndpointState> {
  const [answer] = await rpc.ask([["getVersion"]]);
  const version = objectOf<{ "solana-core"?: unknown }>(rpc, answer, "its version");
  const latest = await readTimeAt(rpc, "confirmed");
  const final = await readTimeAt(rpc, "finalized");
  return {
    software: `solana-core ${String(version?.["solana-core"])}`,
    head: latest.slot,
    headAt: latest.at,
    finalAt: final.at,
    isCatchingUp: false,
  };
}

async function readTimeAt(rpc: Rpc, commitment: Commitment) {
  const [head] = await rpc.ask([slotAt(commitment)]);
  const slot = wholeOf(rpc, head, "slot");
  const [time] = await rpc.ask([["getBlockTime", Number(slot)]]);
  return { slot, at: Number(wholeOf(rpc, time, "time")) };
}

/** An address of the greatest length, so that a request has its full size. */
const ADDRESS = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/** A signature that no transaction has. */
const SIGNATURE = "1".repeat(64);
const USE_OTHER = "Use an endpoint that answers it, or a plan of its provider that has it.";
const KEEP_HISTORY =
  "Use an endpoint that keeps the transactions of addresses, or start its node with --enable-rpc-transaction-history.";
const TRY_AGAIN = "Try again. If it fails again, use another endpoint or a larger plan.";
const TAKE_FULL =
  "Use an endpoint that takes requests of 51,200 bytes (--rpc-max-request-body-size of its node) with 50 questions.";

interface Trial {
  /** The questions of one request, all by one method. */
  readonly calls: readonly [RpcCall, ...RpcCall[]];
  /** The work that needs the answer. */
  readonly work: string;
  /** Mends a refusal. */
  readonly fix?: string;
  /** Mends another fault. */
  readonly faultFix?: string;
}

/** The methods that the service asks, beside those of the state and of the hash, in the form in which it asks them. */
function trialsAt(head: bigint): readonly Trial[] {
  const slot = Number(head);
  const confirmed = { commitment: "confirmed" };
  const account = { ...confirmed, encoding: "base64", dataSlice: SLICE };
  const many = Array.from({ length: ACCOUNTS_AT_ONCE }, () => ADDRESS);
  const accounts = questionAboutAccounts(many, "confirmed", head);
  const transaction = questionAbout(SIGNATURE, "confirmed");
  const old = { searchTransactionHistory: true };
  const raw = { encoding: "base64", skipPreflight: true };
  return [
    {
      calls: [questionAboutSignatures({ address: ADDRESS }, head, 1)],
      work: "finds deposits",
      fix: KEEP_HISTORY,
    },
    { calls: [transaction], work: "reads what a transaction moved", fix: KEEP_HISTORY },
    {
      calls: [["getSignatureStatuses", [SIGNATURE], old]],
      work: "proves a payout dead",
      fix: KEEP_HISTORY,
    },
    { calls: [["getBlocks", slot, slot, confirmed]], work: "finds gaps in its ledger" },
    { calls: [["getBlocksWithLimit", slot, 1, confirmed]], work: "proves a payout dead" },
    { calls: [["getBlockHeight", { commitment: "finalized" }]], work: "proves a payout dead" },
    { calls: [accounts], work: `reads the balances of ${ACCOUNTS_AT_ONCE} addresses at once` },
    { calls: [["getAccountInfo", ADDRESS, account]], work: "looks at a recipient" },
    { calls: [["getMinimumBalanceForRentExemption", 0]], work: "learns the least balance" },
    { calls: [["getRecentPrioritizationFees", []]], work: "learns the fees" },
    { calls: [["sendTransaction", "AA==", raw]], work: "sends payouts" },
    fullOf(accounts, (count) => `reads ${count * ACCOUNTS_AT_ONCE} balances in one request`),
    fullOf(transaction, (count) => `reads ${count} transactions in one request`),
  ];
}

/** Returns a trial of the longest request of such questions that the service sends. */
function fullOf(call: RpcCall, workOf: (count: number) => string): Trial {
  const [, ...others] = splitCalls(Array.from({ length: QUESTIONS_AT_ONCE }, () => call))[0] ?? [];
  const work = workOf(others.length + 1);
  return { calls: [call, ...others], work, fix: TAKE_FULL, faultFix: TAKE_FULL };
}

/** Nobody can send the transaction of the trial. A node answers that its bytes are not one. */
const NOT_A_TRANSACTION = -32_602;

/** Tries each method. The first fault that is not a refusal ends the trials: the endpoint is down, slow or busy. */
async function findWeaknesses(
  rpc: Rpc,
  { head }: EndpointState,
): Promise<readonly EndpointWeakness[]> {
  const weaknesses: EndpointWeakness[] = [];
  const refused = new Set<string>();
  for (const { calls, work, fix = USE_OTHER, faultFix = TRY_AGAIN } of trialsAt(head)) {
    const [[method]] = calls;
    if (refused.has(method)) continue;
    try {
      await rpc.ask(calls);
    } catch (error) {
      const isRead = error instanceof RpcRefusal && error.code === NOT_A_TRANSACTION;
      if (isBehind(error) || (method === "sendTransaction" && isRead)) continue;
      const rest = `${method}, by which the service ${work} (${(error as Error).message})`;
      if (!(error instanceof RpcRefusal || error instanceof AnswerTooLong)) {
        return [...weaknesses, { found: `does not answer ${rest}`, fix: faultFix }];
      }
      refused.add(method);
      weaknesses.push({ found: `refuses ${rest}`, fix });
    }
  }
  return weaknesses;
}

/** A token as the catalogue has it. */
export interface ListedToken extends SolanaToken {
  readonly reference: string;
}

/** Returns what is wrong with the mints, each as a sentence's end after the token's reference. */
export async function examineMints(
  options: SolanaEndpointsOptions,
  tokens: readonly ListedToken[],
): Promise<readonly string[]> {
  const quorum = openSolanaQuorum(options);
  try {
    const faults = await Promise.all(
      tokens.map(async ({ reference, ...token }) => {
        const fault = await readMintFault(quorum, token);
        return fault === null ? [] : [`${reference} ${fault}`];
      }),
    );
    return faults.flat();
  } finally {
    await quorum.close();
  }
}
