import type {
  BlockName,
  ReadMovement,
  ReadSpan,
  WalletMovement,
  Watch,
} from "../../../domain/ports/chain-reader.ts";
import { AnswerTooLong, EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { isEachBlock, readBlock, readSlots } from "./blocks.ts";
import { listOf, slotAt, wholeOf } from "./endpoints.ts";
import { readTransactions, type SolanaTransaction } from "./transactions.ts";

export interface SpanRequest {
  readonly networkCode: string;
  readonly from: BlockName;
  readonly to: bigint;
  readonly watch: Watch;
  /** The most transactions of one address in one answer. */
  readonly pageSize: number;
}

/** All slots of the span are empty. */
const NOTHING: ReadSpan = { blocks: [], movements: [] };

/**
 * Reads the transactions of our addresses, and no whole blocks: a block has thousands of others. The span has the blocks
 * with a transaction of ours, the last one and a few more. Returns undefined where the endpoint is behind or on another branch.
 */
export async function readSolanaSpan(
  rpc: Rpc,
  request: SpanRequest,
): Promise<ReadSpan | undefined> {
  const { from, to, watch } = request;
  const [head] = await rpc.ask([slotAt("confirmed")]);
  if (wholeOf(rpc, head, "slot") < to) return undefined;
  const slots = await readSlots(rpc, from.height, to);
  const last = slots.at(-1);
  if (slots[0] !== from.height || last === undefined) return undefined;
  const base = await readBlock(rpc, from.height);
  if (base?.hash !== from.hash) return undefined;
  if (last === from.height) return NOTHING;
  // An endpoint names a block once its index has the block's transactions. A list of before might lack the newest.
  const newest = await readBlock(rpc, last);
  if (newest === null) return undefined;
  if (!isEachBlock(slots, [base, newest])) {
    throw new EndpointFault(
      rpc.name,
      `its ledger lacks blocks between the slots ${slots[0]} and ${last}`,
    );
  }
  const own = [...new Set([...watch.addresses, ...(watch.wallets ?? [])])];
  const { pageSize } = request;
  const signatures = await listSignatures(rpc, own, { after: from.height, to: last, pageSize });
  const found = await readTransactions(rpc, signatures, "confirmed");
  const transactions = found.flatMap((one) => one ?? []);
  // The index of an endpoint may be ahead of its transactions.
  if (transactions.length < found.length) return undefined;
  const blocks = new Map<bigint, BlockName>();
  const named = new Set([...transactions.map(({ height }) => height), ...milestonesOf(slots)]);
  for (const slot of named) {
    const isListed = slots.includes(slot);
    const block = slot === last ? newest : isListed ? await readBlock(rpc, slot) : null;
    if (block === null) return undefined;
    const { height, hash, parent } = block;
    blocks.set(slot, { height, hash, parent });
  }
  const hashOf = (slot: bigint): string => blocks.get(slot)?.hash ?? "";
  return {
    blocks: [...blocks.values()].toSorted((a, b) => Number(a.height - b.height)),
    movements: transactions.flatMap((one) => movementsOf(request, one, hashOf(one.height))),
    ...(watch.wallets && {
      walletMovements: transactions.flatMap((one) =>
        walletMovementsOf(request, one, hashOf(one.height)),
      ),
    }),
  };
}

/** Blocks that may become final: the last one, and some in the newest part of the span. */
const MILESTONE_EVERY = 16;
const MILESTONES = 5;

const milestonesOf = (slots: readonly bigint[]): readonly bigint[] =>
  Array.from({ length: MILESTONES }, (_, at) => slots.length - 1 - at * MILESTONE_EVERY)
    .filter((index) => index > 0)
    .flatMap((index) => slots[index] ?? []);

interface NodeSignature {
  readonly signature?: unknown;
  readonly slot?: unknown;
}

/**
 * The list begins at the newest transaction, so a shorter span does not shorten it. Strangers pay for every transaction
 * that names our address, and a million of them cost more than the delay is worth.
 */
const PAGES_MAX = 1_000;

/** Lists the transactions of the addresses in the blocks of the range, each once. Failed ones are among them. */
async function listSignatures(
  rpc: Rpc,
  addresses: readonly string[],
  {
    after,
    to,
    pageSize,
  }: { readonly after: bigint; readonly to: bigint; readonly pageSize: number },
): Promise<readonly string[]> {
  const found = new Map<string, bigint>();
  let open = addresses.map((address) => ({ address, before: undefined as string | undefined }));
  for (let page = 0; open.length > 0; page += 1) {
    if (page === PAGES_MAX) {
      throw new AnswerTooLong(
        `${rpc.name}: an address has more than ${pageSize * PAGES_MAX} transactions`,
      );
    }
    const answers = await rpc.ask(open.map((one) => signaturesOf(one, to, pageSize)));
    open = open.flatMap(({ address }, at) => {
      const list = listOf<NodeSignature>(rpc, answers[at], `transactions of ${address}`);
      let isEnd = list.length < pageSize;
      for (const { signature, slot } of list) {
        const height = wholeOf(rpc, slot, "slot");
        if (height <= after) isEnd = true;
        else if (height <= to) found.set(String(signature), height);
      }
      return isEnd ? [] : [{ address, before: String(list.at(-1)?.signature) }];
    });
  }
  return [...found.keys()].sort();
}

/** The newest come first. A node that has not reached the slot refuses. */
const signaturesOf = (
  { address, before }: { readonly address: string; readonly before: string | undefined },
  to: bigint,
  limit: number,
): RpcCall => [
  "getSignaturesForAddress",
  address,
  {
    commitment: "confirmed",
    limit,
    minContextSlot: Number(to),
    ...(before !== undefined && { before }),
  },
];

const coinOf = ({ assets }: Watch) => assets.find(({ contract }) => contract === null);

/** A deposit is what a transaction brought to an address, whatever its instructions were. */
function movementsOf(
  { networkCode, watch }: SpanRequest,
  { signature, height, changes }: SolanaTransaction,
  blockHash: string,
): readonly ReadMovement[] {
  const assetId = coinOf(watch)?.assetId;
  if (assetId === undefined) return [];
  const hot = new Set(watch.wallets ?? []);
  return watch.addresses.flatMap((address): readonly ReadMovement[] => {
    const units = changes.get(address) ?? 0n;
    if (units <= 0n || hot.has(address)) return [];
    const id = `${networkCode}:${signature}:value:${assetId}:${address}:${units}`;
    const at = { address, assetId, units, height, blockHash };
    return [{ ...at, id, transactionHash: signature, source: "value" }];
  });
}

function walletMovementsOf(
  { networkCode, watch }: SpanRequest,
  transaction: SolanaTransaction,
  blockHash: string,
): readonly WalletMovement[] {
  const { signature, height, changes, payer, fee } = transaction;
  const assetId = coinOf(watch)?.assetId;
  if (assetId === undefined) return [];
  const hot = new Set(watch.wallets ?? []);
  const own = [...new Set([...hot, ...watch.addresses])];
  const at = { transactionHash: signature, assetId, height, blockHash };
  const name = `${networkCode}:${signature}`;
  return own.flatMap((address): readonly WalletMovement[] => {
    const units = changes.get(address) ?? 0n;
    const isMoved = units < 0n || (units > 0n && hot.has(address));
    const end = units < 0n ? "out" : "in";
    const id = `${name}:value:${end}:${assetId}:${address}:${units < 0n ? -units : units}`;
    const counterparty = otherEndOf(changes, address);
    const move = { ...at, id, address, units, counterparty, source: "value" } as const;
    const cost = { ...at, address, units: -fee, counterparty: null, source: "fee" } as const;
    const isPaid = address === payer && fee > 0n;
    return [...(isMoved ? [move] : []), ...(isPaid ? [{ ...cost, id: `${name}:fee:${fee}` }] : [])];
  });
}

/** Returns the account with the largest opposite change: where the lamports went, or where they came from. */
function otherEndOf(changes: ReadonlyMap<string, bigint>, address: string): string | null {
  const sign = (changes.get(address) ?? 0n) < 0n ? -1n : 1n;
  const others = [...changes].map(([other, units]) => [other, -units * sign] as const);
  const largest = others.toSorted(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))[0];
  return largest && largest[1] > 0n ? largest[0] : null;
}
