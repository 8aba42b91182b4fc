import { topicOf } from "../evm/logs.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { toEvmForm, toNodeForm } from "./addresses.ts";

/** A call of a token's contract that a node tries and does not send. */
export interface ConstantCall {
  /** The state that the call sees: of the newest block, or of the newest solidified one. */
  readonly at: "newest" | "solidified";
  readonly from: string;
  readonly contract: string;
  /** The function and its parameters, of 64 digits each. */
  readonly call: readonly [selector: string, ...words: string[]];
}

const PATHS = { newest: "wallet", solidified: "walletsolidity" } as const;

export const questionOf = ({
  at,
  from,
  contract,
  call: [selector, ...words],
}: ConstantCall): RpcCall => [
  `/${PATHS[at]}/triggerconstantcontract`,
  {
    owner_address: toNodeForm(toEvmForm(from)),
    contract_address: toNodeForm(toEvmForm(contract)),
    function_selector: selector,
    parameter: words.join(""),
  },
];

export const addressWord = (address: string): string => topicOf(toEvmForm(address)).slice(2);

/** The question about a balance of a token. */
export const balanceOf = (of: Omit<ConstantCall, "call">): RpcCall =>
  questionOf({ ...of, call: ["balanceOf(address)", addressWord(of.from)] });

interface NodeCall {
  readonly result?: {
    readonly result?: unknown;
    readonly code?: unknown;
    /** Present where the contract reverted, although the result is true. */
    readonly message?: unknown;
  };
  readonly constant_result?: readonly unknown[];
  readonly energy_used?: unknown;
}

/** Codes of a node that ran the call, or found no contract to run. Others are the node's own trouble, as when it is busy. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  "CONTRACT_VALIDATE_ERROR",
  "CONTRACT_EXE_ERROR",
  "OTHER_ERROR",
]);
const WORD = /^[0-9a-f]{64}$/;

/** The outcome of a call. Without `isGood` the contract refused it. */
export interface TriedCall {
  readonly isGood: boolean;
  /** The number that the contract returned. Null where it returned none. */
  readonly units: bigint | null;
  /** As the node reports it. */
  readonly energy: unknown;
}

export function readCall(rpc: Rpc, contract: string, answer: unknown): TriedCall {
  const { result, constant_result: [word] = [], energy_used: energy = "0" } = answer as NodeCall;
  const isRun = result?.result === true;
  if (!isRun && !REFUSALS.has(result?.code)) {
    throw new EndpointFault(rpc.name, `no answer about ${contract}`);
  }
  const isGood = isRun && result.message === undefined;
  const isUnits = isGood && typeof word === "string" && WORD.test(word);
  return { isGood, units: isUnits ? BigInt(`0x${word}`) : null, energy };
}
