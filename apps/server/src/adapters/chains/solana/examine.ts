import {
  type EndpointQuestions,
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import { type Rpc, RpcRefusal } from "../rpc.ts";
import { readBlock } from "./blocks.ts";
import {
  type Commitment,
  objectOf,
  openEachSolana,
  type SolanaEndpointsOptions,
  slotAt,
  wholeOf,
} from "./endpoints.ts";

/** Asks each endpoint alone, for the operator's check. */
export const examineSolanaEndpoints = (options: SolanaEndpointsOptions): Promise<Examination> =>
  examineEach(openEachSolana(options), QUESTIONS);

const QUESTIONS: EndpointQuestions = {
  state: readState,
  hashAt: async (rpc, height) => (await readBlock(rpc, height))?.hash ?? null,
  weaknesses: (rpc) => findWeaknesses(rpc),
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

/** Deposits are found by the list of an address's transactions, which a node keeps only if it is told to. */
async function findWeaknesses(rpc: Rpc): Promise<readonly EndpointWeakness[]> {
  const address = "Vote111111111111111111111111111111111111111";
  try {
    await rpc.ask([["getSignaturesForAddress", address, { limit: 1, commitment: "confirmed" }]]);
    return [];
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const fix =
      "Use an endpoint that keeps the transactions of addresses, or start its node with --enable-rpc-transaction-history.";
    return [{ found: `refuses the transactions of an address (${error.message})`, fix }];
  }
}
