import type { WalletPlaces } from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { hexOf, type RpcBlock, wordsOf } from "./words.ts";

/** A transaction that has a nonce of our wallet in a final block. */
export interface TakenPlace {
  readonly hash: string;
  /** The call or payment that it makes. Its receiver is null where it creates a contract. */
  readonly transfer: { readonly to: string | null; readonly value: bigint; readonly data: string };
}

/** Returns the number of the address's transactions up to a final block. */
export function countAt(quorum: Quorum, address: string, height: bigint): Promise<bigint> {
  return quorum.agree({
    what: `nonce of ${address} at block ${height}`,
    ask: (rpc) => readCount(rpc, address, hexOf(height)),
    keyOf: String,
    needsOwn: true,
  });
}

async function readCount(rpc: Rpc, address: string, at: string): Promise<bigint> {
  const [answer] = await rpc.ask([["eth_getTransactionCount", address, at]]);
  return wordsOf(rpc.name).quantity(answer);
}

/** Returns the highest number of the address's transactions in the newest block of any endpoint. */
export async function latestCount(quorum: Quorum, address: string): Promise<bigint> {
  const ask = (rpc: Rpc): Promise<bigint> => readCount(rpc, address, "latest");
  return highestOf(await quorum.collect({ what: `nonce of ${address}`, ask }));
}

/** Returns the same with the transactions that any endpoint holds for its next blocks. */
async function pendingCount(quorum: Quorum, address: string): Promise<bigint> {
  const ask = (rpc: Rpc): Promise<bigint> => readCount(rpc, address, "pending");
  return highestOf(await quorum.collect({ what: `nonce of ${address}`, ask }));
}

const highestOf = (answers: readonly { readonly value: bigint }[]): bigint =>
  answers.reduce((high, { value }) => (value > high ? value : high), 0n);

/** Returns the wallet's nonces. The next one is after all transactions that any endpoint has. */
export async function readPlaces(
  quorum: Quorum,
  address: string,
  final: bigint,
): Promise<WalletPlaces> {
  const pending = await pendingCount(quorum, address);
  const latest = await latestCount(quorum, address);
  return {
    final: await countAt(quorum, address, final),
    next: pending > latest ? pending : latest,
  };
}

/**
 * Finds the transaction that has the nonce, by the block in which the address's count passed it. That transaction
 * proves that none of ours can be mined. The count alone proves nothing: our own transaction may have raised it, and
 * an endpoint that lags does not have that transaction yet.
 */
export async function findTaker(
  quorum: Quorum,
  { address, nonce, final }: { readonly address: string; readonly nonce: bigint; final: bigint },
): Promise<TakenPlace> {
  const isTakenAt = async (height: bigint): Promise<boolean> =>
    (await countAt(quorum, address, height)) > nonce;
  // The block of the transaction is above `below` and at most `top`.
  let top = final;
  let below = final;
  for (let step = 1n; ; step *= 2n) {
    below = final > step ? final - step : 0n;
    if (below === 0n || !(await isTakenAt(below))) break;
    top = below;
  }
  while (top - below > 1n) {
    const middle = (top + below) / 2n;
    if (await isTakenAt(middle)) top = middle;
    else below = middle;
  }
  return quorum.agree({
    what: `transaction ${nonce} of ${address}`,
    ask: (rpc) => readTaker(rpc, { address, nonce, height: top }),
    keyOf: (taken) => taken && [taken.hash, ...Object.values(taken.transfer)].join(" "),
    needsOwn: true,
  }) as Promise<TakenPlace>;
}

async function readTaker(
  rpc: Rpc,
  { address, nonce, height }: { readonly address: string; nonce: bigint; height: bigint },
): Promise<TakenPlace | undefined> {
  const words = wordsOf(rpc.name);
  const [answer] = await rpc.ask([["eth_getBlockByNumber", hexOf(height), true]]);
  const taker = words
    .object<RpcBlock>(answer)
    ?.transactions?.find(
      ({ from, nonce: taken }) =>
        words.address(from) === address.toLowerCase() && words.quantity(taken) === nonce,
    );
  if (!taker) return undefined;
  const { to, value, input } = taker;
  const data = typeof input === "string" ? input.toLowerCase() : "";
  return {
    hash: words.hash(taker.hash),
    transfer: { to: to === null ? null : words.address(to), value: words.quantity(value), data },
  };
}

/** Returns the places of transactions of the address that an endpoint has and no block has. */
export async function readUnminedPlaces(
  options: EvmEndpointsOptions,
  address: string,
): Promise<readonly bigint[]> {
  const quorum = openEvmQuorum(options);
  try {
    const latest = await latestCount(quorum, address);
    const next = await pendingCount(quorum, address);
    return Array.from(
      { length: Math.max(0, Number(next - latest)) },
      (_, at) => latest + BigInt(at),
    );
  } finally {
    await quorum.close();
  }
}
