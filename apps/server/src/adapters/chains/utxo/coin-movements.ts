import type { WalletMovement, WatchedCoin } from "../../../domain/ports/chain-reader.ts";

/** The scripts of a wallet of coins, each with the path to its key. */
export interface CoinScripts {
  /** The fingerprint of the wallet's account. */
  readonly account: string;
  /** The name of the wallet in the books: its extended public key. */
  readonly address: string;
  readonly paths: ReadonlyMap<string, { readonly branch: 0 | 1; readonly keyIndex: number }>;
  /** Returns the address of a script. Undefined for a script without one. */
  addressOf(script: string): string | undefined;
}

export interface CoinSearch {
  readonly networkCode: string;
  readonly assetId: number;
  readonly wallet: CoinScripts | undefined;
  /** The deposit addresses by their scripts. */
  readonly deposits: ReadonlyMap<string, string>;
  /** The coins of ours that earlier blocks made. */
  readonly unspent: readonly WatchedCoin[];
}

/** A transaction of a block with those of its inputs that are ours. */
export interface OwnTransaction {
  readonly transactionHash: string;
  readonly height: bigint;
  readonly blockHash: string;
  /** The outpoints that it spends. A miner's transaction has none. */
  readonly inputs: readonly string[];
  /** The inputs that spend coins of ours. */
  readonly own: readonly WatchedCoin[];
  readonly outputs: readonly CoinOutput[];
}

export interface CoinOutput {
  readonly number: bigint;
  readonly script: string;
  readonly units: bigint;
}

type Change = Pick<WalletMovement, "address" | "units" | "counterparty" | "source"> & {
  /** Names the movement within its transaction. */
  readonly name: string;
};

const sum = (list: readonly { readonly units: bigint }[]): bigint =>
  list.reduce((total, { units }) => total + units, 0n);

/**
 * Returns what a transaction changed at the hot wallet, and what left the deposit addresses. Coins that reach a deposit
 * address are deposits, which are read apart.
 */
export function movementsOf(
  transaction: OwnTransaction,
  search: CoinSearch,
): readonly WalletMovement[] {
  const { transactionHash, height, blockHash } = transaction;
  const { networkCode, assetId } = search;
  return changesOf(transaction, search).map(({ name, ...change }) => ({
    ...change,
    id: `${networkCode}:${transactionHash}:${name}:${change.units}`,
    transactionHash,
    assetId,
    height,
    blockHash,
  }));
}

function changesOf(transaction: OwnTransaction, { wallet }: CoinSearch): readonly Change[] {
  const { own, inputs } = transaction;
  const hot = own.filter(({ address }) => address === null);
  const deposits = own.filter((coin) => coin.address !== null);
  const left = deposits.map(
    ({ outpoint, units, address }): Change => ({
      name: `in:${outpoint}`,
      address: address ?? "",
      units: -units,
      counterparty: null,
      source: "value",
    }),
  );
  if (!wallet) return left;
  const isOurs = hot.length > 0 && hot.length === inputs.length;
  return [...left, ...(isOurs ? paidBy(wallet, transaction) : reachedBy(wallet, transaction))];
}

type Wallet = NonNullable<CoinSearch["wallet"]>;

/** The hot wallet alone paid: each payment, and the fee. Change moves nothing. */
function paidBy(wallet: Wallet, { own, outputs }: OwnTransaction): readonly Change[] {
  const { address } = wallet;
  const fee = sum(own) - sum(outputs);
  const payments = outputs
    .filter(({ script }) => !wallet.paths.has(script))
    .map(
      ({ number, script, units }): Change => ({
        name: `out${number}`,
        address,
        units: -units,
        counterparty: wallet.addressOf(script) ?? null,
        source: "value",
      }),
    );
  if (fee <= 0n) return payments;
  return [...payments, { name: "fee", address, units: -fee, counterparty: null, source: "fee" }];
}

/** Somebody else paid, perhaps with coins of ours beside. */
function reachedBy(wallet: Wallet, { own, outputs }: OwnTransaction): readonly Change[] {
  const { address } = wallet;
  const reached = outputs.filter(({ script }) => wallet.paths.has(script));
  const spent = sum(own.filter((coin) => coin.address === null));
  // Coins of a deposit address are ours already, so they are not a refill.
  const counterparty = own.find((coin) => coin.address !== null)?.address ?? null;
  if (spent === 0n) {
    return reached.map(
      ({ number, units }): Change => ({
        ...{ name: `out${number}`, address, units, counterparty },
        source: "value",
      }),
    );
  }
  const units = sum(reached) - spent;
  return units === 0n ? [] : [{ name: "net", address, units, counterparty, source: "value" }];
}
