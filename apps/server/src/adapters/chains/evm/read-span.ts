import {
  type BlockName,
  type ReadMovement,
  type ReadSpan,
  UNITS_MAX,
  type Watch,
} from "../../../domain/ports/chain-reader.ts";
import type { Rpc } from "../rpc.ts";
import { type ReadBlock, readBlocks } from "./blocks.ts";
import { askForLogs, type FoundTransfer, readTransfers } from "./logs.ts";
import { isGood, placeOf, readReceipts } from "./receipts.ts";
import {
  askForWalletLogs,
  type ReadFees,
  readReceiptFees,
  readWalletMovements,
} from "./wallet-movements.ts";
import { hexOf, wordsOf } from "./words.ts";

export interface SpanRequest {
  readonly networkCode: string;
  readonly from: BlockName;
  readonly to: bigint;
  readonly watch: Watch;
  readonly addressesAtOnce: number;
}

/** How a network with Ethereum's logs and receipts answers what Ethereum's JSON-RPC does not. */
export interface SpanSource {
  readonly readBlocks: typeof readBlocks;
  readonly readFees: ReadFees;
}

const EVM_SOURCE: SpanSource = { readBlocks, readFees: readReceiptFees };

/**
 * Reads a span from one endpoint. Returns undefined when the endpoint does not have all of its blocks, or is on
 * another branch: then it has nothing to say. Everything else that does not fit together is the endpoint's fault.
 */
export async function readSpan(
  rpc: Rpc,
  request: SpanRequest,
  source: SpanSource = EVM_SOURCE,
): Promise<ReadSpan | undefined> {
  const [head] = await rpc.ask([["eth_getBlockByNumber", hexOf(request.to), false]]);
  if (head === null) return undefined;
  // Before the blocks, because a range that is too long is refused here.
  const { watch } = request;
  const question = { end: "to", addresses: watch.addresses } as const;
  const logs = await askForLogs(rpc, request, question);
  const walletLogs = watch.wallets && (await askForWalletLogs(rpc, request));
  const chain = await source.readBlocks(rpc, request);
  const last = chain?.at(-1);
  if (!chain || !last) return undefined;
  const hashes = new Map(chain.map(({ name }) => [name.height, name.hash]));
  // A node answers a range beyond its head with what it has, and a provider's servers differ in their heads.
  const [seen] = await rpc.ask([["eth_getBlockByHash", last.name.hash, false]]);
  if (seen === null) return undefined;
  const transfers = readTransfers(rpc, { ...question, logs, assets: watch.assets, hashes });
  const spelling = new Map(watch.addresses.map((address) => [address.toLowerCase(), address]));
  const events = transfers.map(({ transactionHash, to, assetId, units, log, ...at }): Candidate => {
    const address = spelling.get(to) ?? to;
    const { height, blockHash } = at;
    return { transactionHash, address, assetId, units, height, blockHash, source: "event", log };
  });
  const values = findValues(rpc, chain, watch);
  const movements = await withReceipts(rpc, request, [...events, ...values]);
  const blocks = chain.map(({ name }) => name);
  if (!walletLogs) return { blocks, movements };
  const answer = { request, chain, logs: walletLogs, hashes, readFees: source.readFees };
  return { blocks, movements, walletMovements: await readWalletMovements(rpc, answer) };
}

/** A movement whose receipt was not read yet. */
interface Candidate extends Omit<ReadMovement, "id"> {
  /** The log that says so. Undefined for the value of the transaction itself. */
  readonly log: FoundTransfer["log"] | undefined;
}

function findValues(rpc: Rpc, chain: readonly ReadBlock[], watch: Watch): readonly Candidate[] {
  const coin = watch.assets.find(({ contract }) => contract === null);
  if (!coin) return [];
  const words = wordsOf(rpc.name);
  const addresses = new Map(watch.addresses.map((address) => [address.toLowerCase(), address]));
  return chain.flatMap(({ name, transactions }) =>
    transactions.flatMap((transaction): Candidate[] => {
      const to = typeof transaction.to === "string" ? transaction.to.toLowerCase() : "";
      const address = addresses.get(to);
      if (address === undefined) return [];
      const units = words.quantity(transaction.value);
      const transactionHash = words.hash(transaction.hash);
      return [
        {
          transactionHash,
          address,
          assetId: coin.assetId,
          units,
          height: name.height,
          blockHash: name.hash,
          source: "value",
          log: undefined,
        },
      ];
    }),
  );
}

/**
 * Names the candidates by their receipts. A payment of nothing, which only puts a stranger's address into a list, is
 * left out, and so is a failed transaction.
 */
async function withReceipts(
  rpc: Rpc,
  { networkCode }: SpanRequest,
  candidates: readonly Candidate[],
): Promise<readonly ReadMovement[]> {
  const paid = candidates.filter(({ units }) => units > 0n && units <= UNITS_MAX);
  const receiptOf = await readReceipts(
    rpc,
    paid.map(({ transactionHash }) => transactionHash),
  );
  const words = wordsOf(rpc.name);
  return paid.flatMap(({ log, ...movement }): ReadMovement[] => {
    const receipt = receiptOf(movement);
    const id = `${networkCode}:${movement.transactionHash}`;
    if (log === undefined) {
      return isGood(words, receipt) ? [{ ...movement, id: `${id}:value` }] : [];
    }
    const number = placeOf(rpc, receipt, log);
    return [{ ...movement, id: `${id}:log${number}:${factsOf(movement)}` }];
  });
}

/** A contract may pay another amount, or another address, when its transaction is mined again. */
const factsOf = ({ assetId, address, units }: Omit<ReadMovement, "id">): string =>
  `${assetId}:${address.toLowerCase()}:${units}`;
