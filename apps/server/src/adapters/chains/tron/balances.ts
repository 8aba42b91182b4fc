import type { AssetPlace, BlockName } from "../../../domain/ports/chain-reader.ts";
import { topicOf } from "../evm/logs.ts";
import { hexOf, type RpcBlock, wordsOf } from "../evm/words.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { toEvmForm, toNodeForm } from "./addresses.ts";

/** A node says no balances of a chosen block: only those of its own newest solidified block. */
export interface BalanceQuestion {
  readonly block: BlockName;
  readonly places: readonly AssetPlace[];
  /** The most blocks by which the node's solidified block may be above the one asked for. */
  readonly ahead: bigint;
}

const UNITS = /^[0-9]{1,19}$/;
const WORD = /^[0-9a-f]{64}$/;

/**
 * Returns the balances after a solidified block that is the one asked for or a little above it. Returns undefined when
 * the endpoint is behind, on another branch, or further ahead. A balance is null when the token's contract does not say it.
 */
export async function readSolidBalances(
  rpc: Rpc,
  { block, places, ahead }: BalanceQuestion,
): Promise<readonly (bigint | null)[] | undefined> {
  if (places.length === 0) return [];
  const before = await readSolidHead(rpc, block);
  if (before === undefined || before < block.height) return undefined;
  const answers = await rpc.ask(places.map(questionOf));
  const balances = places.map((place, index) => readBalance(rpc, place, answers[index]));
  const after = await readSolidHead(rpc, block);
  return after === undefined || after > block.height + ahead ? undefined : balances;
}

/** Returns the height of the node's solidified block. Undefined when it does not have the block asked for. */
async function readSolidHead(rpc: Rpc, block: BlockName): Promise<bigint | undefined> {
  const words = wordsOf(rpc.name);
  const [solid, ours] = await rpc.ask([
    ["eth_getBlockByNumber", "finalized", false],
    ["eth_getBlockByNumber", hexOf(block.height), false],
  ]);
  const own = words.object<RpcBlock>(ours);
  const head = words.object<RpcBlock>(solid);
  if (!own || !head || words.hash(own.hash) !== block.hash) return undefined;
  return words.quantity(head.number);
}

function questionOf({ address, asset }: AssetPlace): RpcCall {
  const evmForm = toEvmForm(address);
  const owner = toNodeForm(evmForm);
  if (asset.contract === null) return ["/walletsolidity/getaccount", { address: owner }];
  return [
    "/walletsolidity/triggerconstantcontract",
    {
      owner_address: owner,
      contract_address: toNodeForm(toEvmForm(asset.contract)),
      function_selector: "balanceOf(address)",
      parameter: topicOf(evmForm).slice(2),
    },
  ];
}

interface NodeAccount {
  readonly address?: unknown;
  /** Absent where the account has no TRX. */
  readonly balance?: unknown;
}

interface NodeCall {
  readonly result?: {
    readonly result?: unknown;
    readonly code?: unknown;
    /** Present where the contract reverted, although the result is true. */
    readonly message?: unknown;
  };
  readonly constant_result?: readonly unknown[];
}

function readBalance(rpc: Rpc, { address, asset }: AssetPlace, answer: unknown): bigint | null {
  if (asset.contract !== null) return readTokenBalance(rpc, asset.contract, answer);
  const { address: owner, balance = "0" } = answer as NodeAccount;
  // An address that never had TRX has no account.
  const isOurs = owner === undefined || owner === toNodeForm(toEvmForm(address));
  if (isOurs && typeof balance === "string" && UNITS.test(balance)) return BigInt(balance);
  throw new EndpointFault(rpc.name, `the account of ${address} has no balance`);
}

/** Codes of a node that ran the call, or found no contract to run. Others are the node's own trouble, as when it is busy. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  "CONTRACT_VALIDATE_ERROR",
  "CONTRACT_EXE_ERROR",
  "OTHER_ERROR",
]);

/** Returns null where the contract refuses. Its token waits alone, and the others become final. */
function readTokenBalance(rpc: Rpc, contract: string, answer: unknown): bigint | null {
  const { result, constant_result: [word] = [] } = answer as NodeCall;
  const isDone = result?.result === true;
  if (!isDone && !REFUSALS.has(result?.code)) {
    throw new EndpointFault(rpc.name, `no answer about ${contract}`);
  }
  const isBalance = isDone && result.message === undefined && typeof word === "string";
  return isBalance && WORD.test(word) ? BigInt(`0x${word}`) : null;
}
