import type {
  ChainDeposit,
  ChainGateway,
  ChainSend,
  DepositAddress,
} from "../domain/ports/chain-gateway.ts";
import type { DepositAccount } from "../domain/ports/chain-reader.ts";
import { joinTag, splitTag } from "../domain/wallets/tagged-address.ts";
import { findAddress, insertAddress, takeKeyIndex } from "../storage/chains/addresses.ts";
import { findCursor } from "../storage/chains/cursors.ts";
import { type ChainMovement, listMovementsTo } from "../storage/chains/movements.ts";
import { listPendingTo } from "../storage/chains/pending.ts";
import { listStatedMovements } from "../storage/chains/statement.ts";
import type { Database } from "../storage/postgres/database.ts";
import type { LiveSends } from "./live-sends.ts";

export interface LiveChainOptions {
  readonly database: Database;
  /** The accounts of the deposit addresses, by the code of a live network. */
  readonly accounts: ReadonlyMap<string, DepositAccount>;
  readonly assetReference: (assetId: number) => string;
  /** The live networks with a hot wallet and a signer. */
  readonly paying: ReadonlySet<string>;
  /** Asks for the next place of a live network's hot wallet or gas tank, in a process without senders. */
  readonly nextPlace: (networkCode: string, payer?: ChainSend["payer"]) => Promise<bigint>;
  /** The senders of those networks, in a process that may send. */
  readonly sends: ReadonlyMap<string, LiveSends>;
  /** The senders of the networks' gas tanks. */
  readonly tanks: ReadonlyMap<string, LiveSends>;
  /** Asks the nodes for transactions that no block has and the database does not know. */
  readonly listUnmined: NonNullable<ChainGateway["unmined"]>;
  /** Asks the nodes which networks have blocks that the database does not know. */
  readonly listUnread: NonNullable<ChainGateway["unread"]>;
  /** The gateway of all other networks. Absent in `prod`. */
  readonly base: ChainGateway | undefined;
}

/**
 * Returns a gateway whose live networks take their deposits from the scanner's rows, which needs no node and works in
 * every process. Their sends go through the signer. All other networks go to the base.
 */
export function withLiveNetworks(options: LiveChainOptions): ChainGateway {
  const { database, accounts, paying, base } = options;
  const isLive = (networkCode: string): boolean => accounts.has(networkCode);
  return {
    name: base?.name ?? "live",
    ...sendsOf(options),
    batchOf: (code) => options.sends.get(code)?.batch,
    paysOn: (code) =>
      isLive(code) ? paying.has(code) : (base?.paysOn?.(code) ?? base !== undefined),
    takesOn: (code) => isLive(code) || (base?.takesOn?.(code) ?? base !== undefined),
    depositAddress: async (request) => {
      const account = accounts.get(request.networkCode);
      if (account) return depositAddress(database, account, request);
      if (base) return base.depositAddress(request);
      throw new Error(`${request.networkCode} is not in the rails file`);
    },
    depositsTo: (place) => {
      if (!isLive(place.networkCode) && base) return base.depositsTo(place);
      return depositsTo(options, place);
    },
    unmined: options.listUnmined,
    unread: options.listUnread,
    statement: async (since) => [
      ...((await base?.statement?.(since)) ?? []),
      ...(await listStatedMovements(database, since)),
    ],
  };
}

/** Another question reads the scanner's rows again, and no node. */
const ASK_AGAIN_MS = 2_000;

type Sends = Omit<
  ChainGateway,
  | "name"
  | "batchOf"
  | "unmined"
  | "unread"
  | "paysOn"
  | "depositAddress"
  | "depositsTo"
  | "statement"
>;

/** Sends of a live network go to its own sender, all others to the base. */
function sendsOf({ accounts, sends, tanks, nextPlace, base }: LiveChainOptions): Sends {
  const of = (networkCode: string, payer?: ChainSend["payer"]): Sends => {
    const live = (payer === "gas_tank" ? tanks : sends).get(networkCode);
    if (live) return live;
    if (payer === "gas_tank") {
      throw new Error(`the rails file names no gas tank of ${networkCode}, so its sends wait`);
    }
    if (base && !accounts.has(networkCode)) return base;
    // The job is retried, so the payout is made once the network can send.
    throw new Error(`payouts on ${networkCode} have no signer here, so they wait`);
  };
  return {
    sign: async (send) => of(send.networkCode, send.payer).sign(send),
    broadcast: async (transaction) => of(transaction.networkCode).broadcast(transaction),
    follow: async (send, signed) => of(send.networkCode, send.payer).follow(send, signed),
    replace: async (send, stuck) => {
      const { replace } = of(send.networkCode, send.payer);
      if (!replace) throw new Error(`fees on ${send.networkCode} cannot be raised`);
      return replace(send, stuck);
    },
    preflight: async (payment) => {
      const { preflight } = of(payment.networkCode);
      return preflight ? preflight(payment) : { state: "clear" };
    },
    nextPlace: async (networkCode) => {
      if (accounts.has(networkCode) && !sends.has(networkCode)) return nextPlace(networkCode);
      return (await of(networkCode).nextPlace?.(networkCode)) ?? 0n;
    },
    tankPlace: async (networkCode) =>
      accounts.has(networkCode) ? nextPlace(networkCode, "gas_tank") : 0n,
  };
}

/** The number of attempts to store an address. A random index is rarely taken already. */
const ADDRESS_ATTEMPTS_MAX = 5;

/** A reference keeps its first address, also when several processes ask at the same time. */
async function depositAddress(
  database: Database,
  account: DepositAccount,
  key: { readonly networkCode: string; readonly reference: string },
) {
  const { networkCode } = key;
  for (let attempt = 0; attempt <= ADDRESS_ATTEMPTS_MAX; attempt += 1) {
    const stored = await findAddress(database, key);
    if (stored) return { networkCode, ...splitTag(stored.address) };
    if (attempt === ADDRESS_ATTEMPTS_MAX) break;
    const keyIndex = account.newIndex?.() ?? (await takeKeyIndex(database));
    const address = account.addressAt(keyIndex);
    const accountFingerprint = account.fingerprint;
    await insertAddress(database, { ...key, accountFingerprint, keyIndex, address });
  }
  throw new Error(
    `no free deposit address for ${key.reference} in ${ADDRESS_ATTEMPTS_MAX} attempts`,
  );
}

async function depositsTo(
  { database, assetReference }: LiveChainOptions,
  { networkCode, ...shown }: DepositAddress,
): Promise<readonly ChainDeposit[]> {
  const place = { networkCode, address: joinTag(shown) };
  const cursor = await findCursor(database, place.networkCode);
  const movements = await listMovementsTo(database, place);
  const pending = await listPendingTo(database, place);
  const isWaiting = (id: string): boolean => pending.some((one) => one.id === id && !one.isGone);
  const inBlocks = movements.filter(({ id, state }) => state !== "orphaned" || !isWaiting(id));
  const unmined = pending.filter(({ id }) => inBlocks.every((one) => one.id !== id));
  const common = { askAgainMs: ASK_AGAIN_MS };
  return [
    ...inBlocks.map(({ id, assetId, units, state, height, blockHash }: ChainMovement) => ({
      ...common,
      id,
      assetReference: assetReference(assetId),
      units,
      state: state === "orphaned" ? ("orphaned" as const) : ("in_block" as const),
      confirmations: state === "orphaned" || !cursor ? 0 : Number(cursor.height - height) + 1,
      blockHash,
      isFinal: state === "final",
    })),
    ...unmined.map(({ id, assetId, units, isGone }) => ({
      ...common,
      id,
      assetReference: assetReference(assetId),
      units,
      state: isGone ? ("orphaned" as const) : ("mempool" as const),
      confirmations: 0,
      blockHash: null,
      isFinal: false,
    })),
  ];
}
