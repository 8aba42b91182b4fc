/** A block, by its height and its hash. `parent` is the hash of the block below it. */
export interface BlockName {
  readonly height: bigint;
  readonly hash: string;
  readonly parent: string;
  /** Present where the height has no block, as a slot of Solana may. Reading begins at no such height. */
  readonly isEmpty?: true;
}

/** An asset that a scanner looks for. `contract` is null for the network's own coin. */
export interface WatchedAsset {
  readonly assetId: number;
  readonly contract: string | null;
  /** Present for a token that is looked for at hot wallets only, because nobody may deposit it. */
  readonly isPaidOutOnly?: true;
}

export interface Watch {
  readonly addresses: readonly string[];
  readonly assets: readonly WatchedAsset[];
  /** The unspent coins of our wallet and deposit addresses. Blocks say which of them are spent. */
  readonly coins?: readonly WatchedCoin[];
  /** Our hot wallets. Movements of these and of the addresses are read where the list is present. */
  readonly wallets?: readonly string[];
  /**
   * The units of the network's coin that the movements below the span explain, by address. It has addresses of the account
   * of `depositsFingerprint` only, and of them only those whose movements are final.
   */
  readonly explainedBalances?: ReadonlyMap<string, bigint>;
}

/** A coin that a block made for us and none has spent. `address` is its deposit address, null for the hot wallet. */
export interface WatchedCoin {
  readonly outpoint: string;
  readonly units: bigint;
  readonly address: string | null;
}

/** The most units of one movement. The database holds amounts of 38 digits, and no listed asset has more units. */
export const UNITS_MAX = 10n ** 38n - 1n;

/**
 * Coins that a transaction moved to a watched address. `id` survives a reorganisation: the same payment has the same
 * id in another block. Another amount or another address makes another id.
 */
export interface ReadMovement {
  readonly id: string;
  readonly transactionHash: string;
  readonly address: string;
  readonly assetId: number;
  readonly units: bigint;
  readonly height: bigint;
  readonly blockHash: string;
  /** `event`: a log of the asset's contract. `value`: coins that the transaction itself carries. */
  readonly source: "event" | "value";
}

/** A payment to a watched address that no block has. `id` is that of the movement that a block makes of it. */
export type PendingPayment = Pick<
  ReadMovement,
  "id" | "transactionHash" | "address" | "assetId" | "units"
>;

/** A coin of our wallet that a block made. */
export interface ReadCoin {
  readonly outpoint: string;
  readonly branch: 0 | 1;
  readonly keyIndex: number;
  readonly units: bigint;
  readonly height: bigint;
  /** The first block that may spend it. */
  readonly maturesAt: bigint;
}

/** A coin of our wallet that a block spent. */
export interface CoinSpend {
  readonly outpoint: string;
  readonly transactionHash: string;
  readonly height: bigint;
}

/** The coins of one wallet, by the fingerprint of its account. */
export interface ReadCoins {
  readonly account: string;
  readonly made: readonly ReadCoin[];
  readonly spent: readonly CoinSpend[];
}

/**
 * Coins that a transaction brought to a hot wallet, or took from a hot wallet or a watched address. `id` survives a
 * reorganisation, as that of a `ReadMovement` does.
 */
export interface WalletMovement {
  readonly id: string;
  readonly transactionHash: string;
  readonly address: string;
  readonly assetId: number;
  /** Negative for what left the address. */
  readonly units: bigint;
  /** The other end. Null for the fee of a transaction that the address sent. */
  readonly counterparty: string | null;
  readonly height: bigint;
  readonly blockHash: string;
  readonly source: "event" | "value" | "fee";
}

/**
 * Consecutive blocks, each the parent of the next, and their movements. On Solana only some blocks, in their order: the
 * last one and those with a movement. None where no slot of the span has a block.
 */
export interface ReadSpan {
  readonly blocks: readonly BlockName[];
  readonly movements: readonly ReadMovement[];
  /** Absent where the network has no wallet of coins. */
  readonly coins?: ReadCoins;
  /** Absent where nobody asked for them. */
  readonly walletMovements?: readonly WalletMovement[];
}

export interface ChainHeads {
  /** The highest block that enough endpoints have. */
  readonly believed: bigint;
  /** The highest block that cannot be dropped any more. Undefined while enough endpoints do not name one. */
  readonly final: bigint | undefined;
}

export interface AssetPlace {
  readonly address: string;
  readonly asset: WatchedAsset;
}

/** Too few endpoints answered, or their answers differ. Nothing is believed, and the question is asked again. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
}

/** The endpoints refuse a span of this length. Ask for a shorter one. */
export class SpanTooLong extends Error {
  override readonly name = "SpanTooLong";
}

/**
 * Reads one network. Several endpoints answer each question, and an answer is returned only when enough of them
 * agree on it (docs/decisions/0058-believe-what-endpoints-agree-on.md). Every method throws `Disagreement`
 * otherwise.
 */
export interface ChainReader {
  heads(): Promise<ChainHeads>;
  nameOf(height: bigint): Promise<BlockName>;
  /** Reads the blocks above `from` up to the height. Throws `SpanTooLong` when the span is too long. */
  read(from: BlockName, to: bigint, watch: Watch): Promise<ReadSpan>;
  /**
   * Returns the balances after a final block, in the order of the places. They are null for a token that does not say
   * them: its contract refuses the question, or answers with something else. Absent where every movement is an output
   * in a block, so that blocks alone explain the balances.
   */
  balancesAt?(block: BlockName, places: readonly AssetPlace[]): Promise<readonly (bigint | null)[]>;
  /**
   * Returns whether each account is frozen by the issuer of its asset, after a final block. Its units are in the balances.
   * Absent where no node says so.
   */
  frozenAt?(block: BlockName, places: readonly AssetPlace[]): Promise<readonly boolean[]>;
  /**
   * Returns the payments that some endpoint has and no block has. `listAddresses` is asked after the endpoints, so that
   * no payment is overlooked. Absent where only blocks are read.
   */
  pendingPayments?(
    asset: WatchedAsset,
    listAddresses: () => Promise<readonly string[]>,
  ): Promise<readonly PendingPayment[]>;
  /**
   * Present where a node says the balances of its own final block only. They may then be those of a later block than
   * the one asked for, but of none that the scanner has not read.
   */
  readonly balancesAreLater?: true;
  /**
   * The fingerprint of the account whose key alone moves the coins of its deposit addresses. Present where the reader
   * passes over addresses that nothing happened to, which needs `explainedBalances` of the watch.
   */
  readonly depositsFingerprint?: string;
  /** Returns the place after the last one that each address used up to a final block. Absent without nonces. */
  usedPlacesAt?(block: BlockName, addresses: readonly string[]): Promise<readonly bigint[]>;
  close(): Promise<void>;
}

/** A reader of a network with accounts, which have a balance and a nonce at each block. */
export type AccountReader = Omit<ChainReader, "pendingPayments"> &
  Required<Pick<ChainReader, "balancesAt" | "usedPlacesAt">>;

/** Derives deposit addresses. It holds no private key, so it can spend nothing. */
export interface DepositAccount {
  /** The fingerprint of the account's key: eight hexadecimal digits. */
  readonly fingerprint: string;
  /** Returns a random index. Present where consecutive indexes would let anybody guess the addresses of other orders. */
  newIndex?(): number;
  /** Returns the address of path `0/<index>`. */
  addressAt(index: number): string;
}
