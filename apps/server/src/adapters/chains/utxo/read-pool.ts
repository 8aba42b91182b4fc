import type { PendingPayment } from "../../../domain/ports/chain-reader.ts";
import type { Rpc } from "../rpc.ts";
import { segwitScript } from "./deposit-addresses.ts";
import { askOrNothing, paymentsOf } from "./read-span.ts";
import { type NodeTransaction, nodeWordsOf } from "./words.ts";

/** A pool of more transactions is not read: its ids alone are megabytes. Its payments show with their block. */
const POOL_MAX = 50_000n;
/** The most transactions that one look asks for. The others follow at the next look. */
const NEW_MAX = 200;

/** The part of a node's pool that was read. */
export interface PoolMemory {
  /** The transactions that were read. */
  readonly read: Set<string>;
  /** The payments to us in the transactions that were read, by transaction. */
  readonly found: Map<string, readonly PendingPayment[]>;
}

export interface PoolQuestion {
  readonly networkCode: string;
  readonly assetId: number;
  readonly listAddresses: () => Promise<readonly string[]>;
}

/** Reads the transactions that are new in a node's pool. Returns all payments to us in the pool. */
export async function readPool(
  rpc: Rpc,
  { read, found }: PoolMemory,
  { networkCode, assetId, listAddresses }: PoolQuestion,
): Promise<readonly PendingPayment[]> {
  const words = nodeWordsOf(rpc.name);
  const [info] = await rpc.ask([["getmempoolinfo"]]);
  const size = words.whole(words.object<{ readonly size?: unknown }>(info).size);
  if (size > POOL_MAX) {
    read.clear();
    found.clear();
    return [];
  }
  const [listed] = await rpc.ask([["getrawmempool"]]);
  const pool = new Set(words.texts(listed).map((id) => words.hash(id)));
  for (const id of read) if (!pool.has(id)) read.delete(id);
  for (const id of found.keys()) if (!pool.has(id)) found.delete(id);
  // The first look at a large pool passes its transactions over. They are older than the addresses of new orders.
  if (read.size === 0 && pool.size > NEW_MAX) for (const id of pool) read.add(id);
  const fresh = [...pool].filter((id) => !read.has(id)).slice(0, NEW_MAX);
  const addresses = fresh.length === 0 ? [] : await listAddresses();
  const scripts = new Map(addresses.map((address) => [segwitScript(address), address]));
  for (const id of fresh) {
    const transaction = await askOrNothing(rpc, ["getrawtransaction", id, true]);
    if (transaction === undefined) continue;
    const payments = paymentsOf(rpc, words.object<NodeTransaction>(transaction), {
      networkCode,
      scripts,
    });
    read.add(id);
    if (payments.length > 0)
      found.set(
        id,
        payments.map((one) => ({ ...one, assetId })),
      );
  }
  return [...found.values()].flat();
}
