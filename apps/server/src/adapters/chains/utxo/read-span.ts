import type {
  BlockName,
  PendingPayment,
  ReadMovement,
  ReadSpan,
  Watch,
} from "../../../domain/ports/chain-reader.ts";
import { EndpointFault, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import type { CoinScripts } from "./coin-movements.ts";
import { segwitScript } from "./deposit-addresses.ts";
import { openCoins } from "./read-coins.ts";
import { NODE_CODES } from "./rpc.ts";
import { type NodeBlock, type NodeOutput, type NodeTransaction, nodeWordsOf } from "./words.ts";

export interface SpanRequest {
  readonly networkCode: string;
  readonly from: BlockName;
  readonly to: bigint;
  readonly watch: Watch;
  readonly wallet: CoinScripts | undefined;
}

/** The parent of the first block of every chain. */
const NO_BLOCK = "0".repeat(64);

/**
 * Reads a span from one node, a block at a time. Returns undefined when the node does not have all of its blocks, or
 * is on another branch: then it has nothing to say.
 */
export async function readSpan(rpc: Rpc, request: SpanRequest): Promise<ReadSpan | undefined> {
  const { networkCode, from, to, watch, wallet } = request;
  const coin = watch.assets.find(({ contract }) => contract === null);
  const scripts = new Map(watch.addresses.map((address) => [segwitScript(address), address]));
  const blocks: BlockName[] = [];
  const movements: ReadMovement[] = [];
  const coins =
    coin &&
    openCoins({
      networkCode,
      assetId: coin.assetId,
      wallet,
      deposits: scripts,
      unspent: watch.coins ?? [],
    });
  for (let height = from.height + 1n; height <= to; height += 1n) {
    const hash = await hashAt(rpc, height);
    const block = hash === undefined ? undefined : await askForBlock(rpc, hash);
    if (!block) return undefined;
    const name = blockName(rpc, block, height);
    if (name.hash !== hash)
      throw new EndpointFault(rpc.name, `asked for ${hash}, got ${name.hash}`);
    if (name.parent !== (blocks.at(-1) ?? from).hash) return undefined;
    blocks.push(name);
    coins?.read(rpc, { height, hash: name.hash, transactions: block.tx });
    if (!coin) continue;
    const found = { networkCode, assetId: coin.assetId, height, blockHash: name.hash };
    movements.push(...readOutputs(rpc, { found, scripts, transactions: block.tx }));
  }
  const found = coins?.found();
  return {
    blocks,
    movements,
    ...(found?.coins && { coins: found.coins }),
    ...(found && { walletMovements: found.walletMovements }),
  };
}

/** Returns the hash of the node's block at the height. Undefined for a node that is behind. */
export const hashAt = async (rpc: Rpc, height: bigint): Promise<string | undefined> => {
  const hash = await askOrNothing(rpc, ["getblockhash", Number(height)]);
  return hash === undefined ? undefined : nodeWordsOf(rpc.name).hash(hash);
};

/** Asks one question. Returns undefined if the node has no such block. */
export async function askOrNothing(rpc: Rpc, call: RpcCall): Promise<unknown> {
  try {
    const [answer] = await rpc.ask([call]);
    return answer;
  } catch (error) {
    const { notFound, outOfRange } = NODE_CODES;
    if (error instanceof RpcRefusal && [notFound, outOfRange].some((code) => code === error.code)) {
      return undefined;
    }
    throw error;
  }
}

async function askForBlock(rpc: Rpc, hash: string): Promise<NodeBlock | undefined> {
  const block = await askOrNothing(rpc, ["getblock", hash, 2]);
  return block === undefined ? undefined : nodeWordsOf(rpc.name).object<NodeBlock>(block);
}

export function blockName(rpc: Rpc, block: NodeBlock, expected: bigint): BlockName {
  const words = nodeWordsOf(rpc.name);
  const height = words.whole(block.height);
  if (height !== expected) {
    throw new EndpointFault(rpc.name, `asked for block ${expected}, got ${height}`);
  }
  const parent = height === 0n ? NO_BLOCK : words.hash(block.previousblockhash);
  return { height, hash: words.hash(block.hash), parent };
}

interface Outputs {
  readonly found: Pick<ReadMovement, "assetId" | "height" | "blockHash"> & {
    readonly networkCode: string;
  };
  /** The addresses by their scripts. */
  readonly scripts: ReadonlyMap<string, string>;
  readonly transactions: unknown;
}

/** The nodes name addresses in different ways, so outputs are found by their scripts. */
function readOutputs(rpc: Rpc, { found, scripts, transactions }: Outputs): readonly ReadMovement[] {
  const { networkCode, ...place } = found;
  return nodeWordsOf(rpc.name)
    .list<NodeTransaction>(transactions)
    .flatMap((transaction) => paymentsOf(rpc, transaction, { networkCode, scripts }))
    .map((payment): ReadMovement => ({ ...place, ...payment, source: "value" }));
}

/** Returns the outputs of a transaction to our addresses, which are named by their scripts. */
export function paymentsOf(
  rpc: Rpc,
  transaction: NodeTransaction,
  { networkCode, scripts }: Pick<Outputs, "scripts"> & { readonly networkCode: string },
): readonly Omit<PendingPayment, "assetId">[] {
  const words = nodeWordsOf(rpc.name);
  const transactionHash = words.hash(transaction.txid);
  return words.list<NodeOutput>(transaction.vout).flatMap((output) => {
    const address = scripts.get(words.bytes(output.scriptPubKey?.hex));
    const units = address === undefined ? 0n : words.units(output.value);
    if (address === undefined || units === 0n) return [];
    const id = `${networkCode}:${transactionHash}:${words.whole(output.n)}`;
    return [{ id, transactionHash, address, units }];
  });
}

/** Returns the key of a span: spans with the same blocks and movements have the same one. */
export function coinSpanKey(span: ReadSpan | undefined): string | undefined {
  if (!span) return undefined;
  const movements = span.movements.map(({ id, address, units }) => `${id} ${address} ${units}`);
  const coins = [...(span.coins?.made ?? []), ...(span.coins?.spent ?? [])].map((one) =>
    Object.values(one).join(" "),
  );
  const changes = (span.walletMovements ?? []).map(({ id, address }) => `${id} ${address}`);
  return [...span.blocks.map(({ hash }) => hash), ...movements, ...coins, ...changes].join("\n");
}
