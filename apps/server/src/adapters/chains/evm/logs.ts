import type { Watch, WatchedAsset } from "../../../domain/ports/chain-reader.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { hexOf, type RpcLog, type Words, wordsOf } from "./words.ts";

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** keccak256("balanceOf(address)"), its first four bytes. */
export const BALANCE_OF = "0x70a08231";
const DATA = /^0x[0-9a-f]{64}$/i;
const ADDRESS_TOPIC = /^0x0{24}([0-9a-f]{40})$/;

/** The end of a transfer that a question names. */
export type TransferEnd = "from" | "to";

/** A transfer of a listed contract, as a log says it. Its addresses are in lower case. */
export interface FoundTransfer {
  readonly from: string;
  readonly to: string;
  readonly assetId: number;
  readonly units: bigint;
  readonly transactionHash: string;
  readonly height: bigint;
  readonly blockHash: string;
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

/** The transfers with one of the addresses at an end. */
export interface LogQuestion {
  readonly end: TransferEnd;
  readonly addresses: readonly string[];
}

/** Asks for transfers of the listed contracts. Events of unlisted contracts are ignored. */
export async function askForLogs(
  rpc: Rpc,
  { watch, from, to, addressesAtOnce }: LogRequest,
  { end, addresses }: LogQuestion,
): Promise<readonly RpcLog[]> {
  const contracts = watch.assets.flatMap(({ contract }) => contract?.toLowerCase() ?? []);
  if (contracts.length === 0) return [];
  const words = wordsOf(rpc.name);
  const logs: RpcLog[] = [];
  for (let index = 0; index < addresses.length; index += addressesAtOnce) {
    const part = addresses.slice(index, index + addressesAtOnce).map(topicOf);
    const filter = {
      fromBlock: hexOf(from.height + 1n),
      toBlock: hexOf(to),
      address: contracts,
      topics: end === "to" ? [TRANSFER, null, part] : [TRANSFER, part],
    };
    const [answer] = await rpc.ask([["eth_getLogs", filter]]);
    logs.push(...words.list<RpcLog>(answer));
  }
  return logs;
}

export interface LogAnswer extends LogQuestion {
  readonly logs: readonly RpcLog[];
  readonly assets: readonly WatchedAsset[];
  /** The hashes of the span's blocks, by height. */
  readonly hashes: ReadonlyMap<bigint, string>;
}

/**
 * Reads the logs. One log that was not asked for makes the whole answer invalid. One that is listed twice is one transfer:
 * the database refuses two movements of one name, so the network would stand still.
 */
export function readTransfers(rpc: Rpc, answer: LogAnswer): readonly FoundTransfer[] {
  const words = wordsOf(rpc.name);
  const assets = new Map(
    answer.assets.map((asset) => [asset.contract?.toLowerCase() ?? "", asset]),
  );
  const addresses = new Set(answer.addresses.map((address) => address.toLowerCase()));
  const transfers = answer.logs.map((log) => {
    const transfer = readTransfer(words, log, { assets, hashes: answer.hashes });
    if (!transfer || !addresses.has(transfer[answer.end])) {
      throw new EndpointFault(rpc.name, "a log does not answer the question");
    }
    return transfer;
  });
  const nameOf = ({ blockHash, log }: FoundTransfer): string =>
    [blockHash, ...Object.values(log)].join(" ");
  return [...new Map(transfers.map((transfer) => [nameOf(transfer), transfer])).values()];
}

export const topicOf = (address: string): string =>
  `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

const addressOf = (topic: unknown): string | undefined => {
  const [, digits] = ADDRESS_TOPIC.exec(String(topic).toLowerCase()) ?? [];
  return digits && `0x${digits}`;
};

interface Expected {
  readonly assets: ReadonlyMap<string, WatchedAsset>;
  readonly hashes: ReadonlyMap<bigint, string>;
}

function readTransfer(
  words: Words,
  log: RpcLog,
  { assets, hashes }: Expected,
): FoundTransfer | undefined {
  const height = words.quantity(log.blockNumber);
  const blockHash = words.hash(log.blockHash);
  const contract = words.address(log.address);
  const asset = assets.get(contract);
  const [event, sender, receiver, ...others] = log.topics ?? [];
  const [from, to] = [addressOf(sender), addressOf(receiver)];
  const data = String(log.data);
  const isOurs = event === TRANSFER && others.length === 0 && DATA.test(data) && !log.removed;
  if (!isOurs || !asset || !from || !to || hashes.get(height) !== blockHash) return undefined;
  return {
    from,
    to,
    transactionHash: words.hash(log.transactionHash),
    assetId: asset.assetId,
    units: BigInt(data),
    height,
    blockHash,
    log: {
      index: words.quantity(log.logIndex),
      address: contract,
      topics: String(log.topics),
      data,
    },
  };
}
