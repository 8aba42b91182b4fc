import type { ReadMovement, Watch, WatchedAsset } from "../../../domain/ports/chain-reader.ts";
import { EndpointFault, type Rpc } from "./rpc.ts";
import { hexOf, type RpcLog, type Words, wordsOf } from "./words.ts";

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const DATA = /^0x[0-9a-f]{64}$/i;

/** A transfer to a watched address, as a log says it. */
export interface FoundTransfer extends Omit<ReadMovement, "id"> {
  readonly log: {
    /** The number of the log within its block. */
    readonly index: bigint;
    readonly address: string;
    readonly topics: string;
    readonly data: string;
  };
}

export interface LogRequest {
  readonly from: { readonly height: bigint };
  readonly to: bigint;
  readonly watch: Watch;
  readonly addressesAtOnce: number;
}

/** Asks for the transfers of the listed contracts to the watched addresses. Copies of the event count for nothing. */
export async function askForLogs(rpc: Rpc, request: LogRequest): Promise<readonly RpcLog[]> {
  const { watch, from, to, addressesAtOnce } = request;
  const contracts = watch.assets.flatMap(({ contract }) => contract?.toLowerCase() ?? []);
  if (contracts.length === 0) return [];
  const words = wordsOf(rpc.name);
  const logs: RpcLog[] = [];
  for (let index = 0; index < watch.addresses.length; index += addressesAtOnce) {
    const part = watch.addresses.slice(index, index + addressesAtOnce);
    const filter = {
      fromBlock: hexOf(from.height + 1n),
      toBlock: hexOf(to),
      address: contracts,
      topics: [TRANSFER, null, part.map(topicOf)],
    };
    const [answer] = await rpc.ask([["eth_getLogs", filter]]);
    logs.push(...words.list<RpcLog>(answer));
  }
  return logs;
}

export interface LogAnswer {
  readonly logs: readonly RpcLog[];
  readonly watch: Watch;
  /** The hashes of the span's blocks, by height. */
  readonly hashes: ReadonlyMap<bigint, string>;
}

/** Reads the logs. One that does not answer the question makes all of them worthless. */
export function readTransfers(rpc: Rpc, answer: LogAnswer): readonly FoundTransfer[] {
  const words = wordsOf(rpc.name);
  const assets = new Map(
    answer.watch.assets.map((asset) => [asset.contract?.toLowerCase() ?? "", asset]),
  );
  const addresses = new Map(answer.watch.addresses.map((address) => [topicOf(address), address]));
  return answer.logs.map((log) => {
    const transfer = readTransfer(words, log, { assets, addresses, hashes: answer.hashes });
    if (!transfer) throw new EndpointFault(rpc.name, "a log does not answer the question");
    return transfer;
  });
}

export const topicOf = (address: string): string =>
  `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

interface Expected {
  readonly assets: ReadonlyMap<string, WatchedAsset>;
  readonly addresses: ReadonlyMap<string, string>;
  readonly hashes: ReadonlyMap<bigint, string>;
}

function readTransfer(
  words: Words,
  log: RpcLog,
  { assets, addresses, hashes }: Expected,
): FoundTransfer | undefined {
  const height = words.quantity(log.blockNumber);
  const blockHash = words.hash(log.blockHash);
  const contract = words.address(log.address);
  const asset = assets.get(contract);
  const [event, , to, ...others] = log.topics ?? [];
  const address = addresses.get(String(to));
  const data = String(log.data);
  const isOurs = event === TRANSFER && others.length === 0 && DATA.test(data) && !log.removed;
  if (!isOurs || !asset || address === undefined || hashes.get(height) !== blockHash) {
    return undefined;
  }
  return {
    transactionHash: words.hash(log.transactionHash),
    address,
    assetId: asset.assetId,
    units: BigInt(data),
    height,
    blockHash,
    source: "event",
    log: {
      index: words.quantity(log.logIndex),
      address: contract,
      topics: String(log.topics),
      data,
    },
  };
}
