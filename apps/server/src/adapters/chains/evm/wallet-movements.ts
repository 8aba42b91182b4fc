import { UNITS_MAX, type WalletMovement } from "../../../domain/ports/chain-reader.ts";
import type { Rpc } from "../rpc.ts";
import type { ReadBlock } from "./blocks.ts";
import { askForLogs, type FoundTransfer, type LogRequest, readTransfers } from "./logs.ts";
import { feeOf, isGood, placeOf, readReceipts } from "./receipts.ts";
import { type RpcLog, type RpcReceipt, wordsOf } from "./words.ts";

/** The logs of a span that name an address whose key is ours. */
export interface WalletLogs {
  readonly from: readonly RpcLog[];
  readonly to: readonly RpcLog[];
}

/** Asks for the transfers that left our addresses, and for those that reached our wallets. */
export async function askForWalletLogs(rpc: Rpc, request: LogRequest): Promise<WalletLogs> {
  const { addresses, wallets = [] } = request.watch;
  const own = [...wallets, ...addresses];
  return {
    from: await askForLogs(rpc, request, { end: "from", addresses: own }),
    to: await askForLogs(rpc, request, { end: "to", addresses: wallets }),
  };
}

/** The answers of one endpoint about a span. */
export interface WalletSpan {
  readonly request: LogRequest & { readonly networkCode: string };
  readonly chain: readonly ReadBlock[];
  readonly logs: WalletLogs;
  readonly hashes: ReadonlyMap<bigint, string>;
  readonly readFees: ReadFees;
}

/** A transaction of a span, and its receipt. */
interface Paid {
  readonly transactionHash: string;
  readonly receipt: RpcReceipt;
}

/** Returns what each of the transactions cost its sender, by its hash. */
export type ReadFees = (
  rpc: Rpc,
  transactions: readonly Paid[],
) => Promise<ReadonlyMap<string, bigint>>;

/** Ethereum's receipts say what a transaction cost. */
export const readReceiptFees: ReadFees = async (rpc, transactions) => {
  const words = wordsOf(rpc.name);
  return new Map(
    transactions.map(({ transactionHash, receipt }) => [transactionHash, feeOf(words, receipt)]),
  );
};

/** Returns what a span changed at our wallets, and what left our other addresses. */
export async function readWalletMovements(
  rpc: Rpc,
  answer: WalletSpan,
): Promise<readonly WalletMovement[]> {
  const found = [...findTransfers(rpc, answer), ...findCoins(rpc, answer)].filter(
    ({ units }) => units <= UNITS_MAX,
  );
  const receiptOf = await readReceipts(
    rpc,
    found.map(({ transactionHash }) => transactionHash),
  );
  const words = wordsOf(rpc.name);
  const ours = found.filter(({ log, isSender }) => log === undefined && isSender);
  const fees = await answer.readFees(
    rpc,
    ours.map((one) => ({ transactionHash: one.transactionHash, receipt: receiptOf(one) })),
  );
  const movements = found.flatMap(({ log, from, to, isSender, isReceiver, ...one }) => {
    const receipt = receiptOf(one);
    const { assetId, units, height, blockHash, transactionHash } = one;
    const id = `${answer.request.networkCode}:${transactionHash}`;
    const at = { transactionHash, assetId, height, blockHash };
    const name = log ? `log${placeOf(rpc, receipt, log)}` : "value";
    const source = log ? ("event" as const) : ("value" as const);
    const move = (address: string, change: bigint, counterparty: string): WalletMovement[] => {
      const end = change < 0n ? "out" : "in";
      const facts = `${assetId}:${address.toLowerCase()}:${units}`;
      const movement = { ...at, address, units: change, counterparty, source };
      return [{ ...movement, id: `${id}:${name}:${end}:${facts}` }];
    };
    const isMoved = units > 0n && (log !== undefined || isGood(words, receipt));
    const fee = (log === undefined && isSender && fees.get(transactionHash)) || 0n;
    const cost = { ...at, address: from, counterparty: null, source: "fee" as const };
    return [
      ...(isMoved && isSender ? move(from, -units, to) : []),
      ...(isMoved && isReceiver ? move(to, units, from) : []),
      ...(fee > 0n ? [{ ...cost, id: `${id}:fee:${fee}`, units: -fee }] : []),
    ];
  });
  return movements;
}

/** A transfer, or the coins of a transaction itself. */
interface FoundMovement extends Omit<FoundTransfer, "log"> {
  readonly isSender: boolean;
  readonly isReceiver: boolean;
  readonly log: FoundTransfer["log"] | undefined;
}

/** Returns our spelling of an address. */
type Spelling = (address: string) => string | undefined;

const spellingOf = (addresses: readonly string[]): Spelling => {
  const byLowerCase = new Map(addresses.map((address) => [address.toLowerCase(), address]));
  return (address) => byLowerCase.get(address);
};

function endsOf({ request }: WalletSpan): { readonly ours: Spelling; readonly wallet: Spelling } {
  const { addresses, wallets = [] } = request.watch;
  return { ours: spellingOf([...wallets, ...addresses]), wallet: spellingOf(wallets) };
}

function findTransfers(rpc: Rpc, answer: WalletSpan): readonly FoundMovement[] {
  const { request, logs, hashes } = answer;
  const { addresses, assets, wallets = [] } = request.watch;
  const { ours, wallet } = endsOf(answer);
  const transfers = [
    ...readTransfers(rpc, {
      end: "from",
      logs: logs.from,
      addresses: [...wallets, ...addresses],
      assets,
      hashes,
    }),
    ...readTransfers(rpc, { end: "to", logs: logs.to, addresses: wallets, assets, hashes }),
  ];
  // A transfer between two of ours answers both questions.
  const once = new Map(transfers.map((one) => [`${one.height} ${one.log.index}`, one]));
  return [...once.values()].map((one) => withEnds(one, { ours, wallet }));
}

/** Every transaction that one of our addresses sent, also one without coins, and those that bring coins to a wallet. */
function findCoins(rpc: Rpc, answer: WalletSpan): readonly FoundMovement[] {
  const coin = answer.request.watch.assets.find(({ contract }) => contract === null);
  if (!coin) return [];
  const words = wordsOf(rpc.name);
  const ends = endsOf(answer);
  return answer.chain.flatMap(({ name, transactions }) =>
    transactions.flatMap((transaction): FoundMovement[] => {
      const to = typeof transaction.to === "string" ? transaction.to.toLowerCase() : "";
      const from = words.address(transaction.from);
      if (ends.ours(from) === undefined && ends.wallet(to) === undefined) return [];
      const found = {
        from,
        to,
        assetId: coin.assetId,
        units: words.quantity(transaction.value),
        transactionHash: words.hash(transaction.hash),
        height: name.height,
        blockHash: name.hash,
        log: undefined,
      };
      return [withEnds(found, ends)];
    }),
  );
}

const withEnds = (
  found: Omit<FoundMovement, "isSender" | "isReceiver">,
  { ours, wallet }: { readonly ours: Spelling; readonly wallet: Spelling },
): FoundMovement => {
  const [sender, receiver] = [ours(found.from), wallet(found.to)];
  return {
    ...found,
    from: sender ?? found.from,
    to: receiver ?? found.to,
    isSender: sender !== undefined,
    isReceiver: receiver !== undefined,
  };
};
