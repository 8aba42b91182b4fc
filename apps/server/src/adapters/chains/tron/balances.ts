import type { AssetPlace, BlockName } from "../../../domain/ports/chain-reader.ts";
import { hexOf, type RpcBlock, wordsOf } from "../evm/words.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { toEvmForm, toNodeForm } from "./addresses.ts";
import { balanceOf, readCall } from "./constant-call.ts";
import { UNITS } from "./rpc.ts";

/** A node reports the balances of its own newest solidified block only, and not those of a chosen block. */
export interface BalanceQuestion {
  readonly block: BlockName;
  readonly places: readonly AssetPlace[];
  /** The most blocks by which the node's solidified block may be above the one asked for. */
  readonly ahead: bigint;
}

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
  const answers = await rpc.ask(places.map(askAbout));
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

const askAbout = ({ address, asset: { contract } }: AssetPlace): RpcCall =>
  contract === null
    ? ["/walletsolidity/getaccount", { address: toNodeForm(toEvmForm(address)) }]
    : balanceOf({ at: "solidified", from: address, contract });

interface NodeAccount {
  readonly address?: unknown;
  /** Absent where the account has no TRX. */
  readonly balance?: unknown;
}

function readBalance(rpc: Rpc, { address, asset }: AssetPlace, answer: unknown): bigint | null {
  // Where the contract refuses, its token waits alone, and the others become final.
  if (asset.contract !== null) return readCall(rpc, asset.contract, answer).units;
  const { address: owner, balance = "0" } = answer as NodeAccount;
  // An address that never had TRX has no account.
  const isOurs = owner === undefined || owner === toNodeForm(toEvmForm(address));
  if (isOurs && typeof balance === "string" && UNITS.test(balance)) return BigInt(balance);
  throw new EndpointFault(rpc.name, `the account of ${address} has no balance`);
}
