import {
  type EndpointQuestions,
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import { type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { ACCOUNTS_AT_ONCE } from "./accounts.ts";
import { readBlock } from "./blocks.ts";
import {
  type Commitment,
  objectOf,
  openEachSolana,
  type SolanaEndpointsOptions,
  slotAt,
  wholeOf,
} from "./endpoints.ts";
import { questionAbout } from "./transactions.ts";

/** Asks each endpoint alone, for the operator's check. */
export const examineSolanaEndpoints = (options: SolanaEndpointsOptions): Promise<Examination> =>
  examineEach(openEachSolana(options), QUESTIONS);

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

const ADDRESS = "Vote111111111111111111111111111111111111111";
/** A signature that no transaction has. */
const SIGNATURE = "1".repeat(64);
const USE_OTHER = "Use an endpoint that answers it, or a plan of its provider that has it.";
const KEEP_HISTORY =
  "Use an endpoint that keeps the transactions of addresses, or start its node with --enable-rpc-transaction-history.";

interface Trial {
  readonly call: RpcCall;
  /** The work that needs the answer. */
  readonly work: string;
  readonly fix?: string;
}

/** The methods that the service asks, beside those of the state and of the hash, in the form in which it asks them. */
function trialsAt(head: bigint): readonly Trial[] {
  const slot = Number(head);
  const confirmed = { commitment: "confirmed" };
  const accounts = { ...confirmed, encoding: "base64", dataSlice: { offset: 0, length: 0 } };
  const many = Array.from({ length: ACCOUNTS_AT_ONCE }, () => ADDRESS);
  const old = { searchTransactionHistory: true };
  return [
    {
      call: ["getSignaturesForAddress", ADDRESS, { ...confirmed, limit: 1 }],
      work: "finds deposits",
      fix: KEEP_HISTORY,
    },
    {
      call: questionAbout(SIGNATURE, "confirmed"),
      work: "reads what a transaction moved",
      fix: KEEP_HISTORY,
    },
    {
      call: ["getSignatureStatuses", [SIGNATURE], old],
      work: "proves a payout dead",
      fix: KEEP_HISTORY,
    },
    { call: ["getBlocks", slot, slot, confirmed], work: "finds gaps in its ledger" },
    { call: ["getBlocksWithLimit", slot, 1, confirmed], work: "proves a payout dead" },
    { call: ["getBlockHeight", { commitment: "finalized" }], work: "proves a payout dead" },
    {
      call: ["getMultipleAccounts", many, accounts],
      work: `reads the balances of ${ACCOUNTS_AT_ONCE} addresses at once`,
    },
    { call: ["getAccountInfo", ADDRESS, accounts], work: "looks at a recipient" },
    { call: ["getMinimumBalanceForRentExemption", 0], work: "learns the least balance" },
    { call: ["getRecentPrioritizationFees", []], work: "learns the fees" },
    { call: ["sendTransaction", "AA==", { encoding: "base64" }], work: "sends payouts" },
  ];
}

/** Nobody can send the transaction of the trial. A node answers that its bytes are not one. */
const NOT_A_TRANSACTION = -32_602;

async function findWeaknesses(
  rpc: Rpc,
  { head }: EndpointState,
): Promise<readonly EndpointWeakness[]> {
  const weaknesses: EndpointWeakness[] = [];
  for (const { call, work, fix = USE_OTHER } of trialsAt(head)) {
    const [method] = call;
    try {
      await rpc.ask([call]);
    } catch (error) {
      const isRead = error instanceof RpcRefusal && error.code === NOT_A_TRANSACTION;
      if (method === "sendTransaction" && isRead) continue;
      const found = `refuses ${method}, by which the service ${work} (${(error as Error).message})`;
      weaknesses.push({ found, fix });
    }
  }
  return weaknesses;
}
