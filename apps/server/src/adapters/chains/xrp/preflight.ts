import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { UnderWay } from "../../../domain/ports/chain-sender.ts";
import type { Quorum } from "../agree.ts";
import { EndpointFault, type Rpc, RpcRefusal } from "../rpc.ts";
import { sendsTake, walletWaits } from "../wallet-wait.ts";
import { readAccount, type XrpAccountState } from "./accounts.ts";
import { readMiddlePrices, type XrpPrices } from "./fees.ts";
import { readValidated } from "./ledgers.ts";
import { paymentOf, type XrpAccountFacts } from "./transaction.ts";

export interface PreflightOptions {
  readonly quorum: Quorum;
  readonly account: XrpAccountFacts;
  /** The most that a transaction may cost, in drops. */
  readonly feeMax: bigint;
  /** The drops that stay in the account beside its reserve. */
  readonly floor: bigint;
  readonly pollMs: number;
  readonly underWay: UnderWay | undefined;
}

/** Flags of an account that take payments only as the flag says, as its entry in a ledger has them. */
const FLAGS = { requireTag: 0x0002_0000n, noXrp: 0x0008_0000n, depositAuth: 0x0100_0000n } as const;

/** Asks whether the payment would succeed now, so that no sequence is spent on one that would only take its fee. */
export async function preflightOf(
  options: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { quorum, account, feeMax, pollMs } = options;
  const wait = (why: string) => walletWaits(`the hot wallet ${account.address} ${why}`, pollMs);
  const { to, tag, units } = paymentOf(payment);
  const prices = await readMiddlePrices(quorum);
  const why = findObstacle(await recipientOf(quorum, to), { to, tag, units, prices });
  if (why !== undefined) return { state: "rejected", why };
  if (prices.fee > feeMax) {
    const answer = wait(
      `would pay ${prices.fee} drops for a transaction, above the limit of ${feeMax}`,
    );
    return { ...answer, concernsAll: true };
  }
  const lack = await lackOf(options, { units, prices });
  return lack === undefined ? { state: "clear" } : wait(lack);
}

interface Wanted {
  readonly units: bigint;
  readonly prices: XrpPrices;
}

/** Returns why the recipient cannot take the payment. */
function findObstacle(
  recipient: XrpAccountState | null,
  { to, tag, units, prices }: Wanted & { readonly to: string; readonly tag: number | null },
): string | undefined {
  if (recipient === null) {
    return units < prices.reserve
      ? `${to} does not exist, and ${units} drops are below the reserve of ${prices.reserve} that makes an account`
      : undefined;
  }
  const { flags, isPseudo } = recipient;
  if (isPseudo) return `${to} belongs to the ledger itself, and takes no payments`;
  if ((flags & FLAGS.requireTag) !== 0n && tag === null) {
    return `${to} takes payments with a destination tag only`;
  }
  if ((flags & FLAGS.noXrp) !== 0n) return `${to} does not want XRP`;
  return (flags & FLAGS.depositAuth) === 0n
    ? undefined
    : `${to} takes payments only from accounts that it allowed`;
}

/** Returns what enough endpoints have at an address, in a validated ledger. */
function recipientOf(quorum: Quorum, address: string): Promise<XrpAccountState | null> {
  return quorum.agree({
    what: `the account ${address}`,
    ask: (rpc) => validatedAccount(rpc, address),
    // Its balance changes from one ledger to the next, and says nothing here.
    keyOf: (found) => (found === null ? "none" : `${found.flags} ${found.isPseudo}`),
  });
}

async function validatedAccount(rpc: Rpc, address: string): Promise<XrpAccountState | null> {
  const found = await readAccount(rpc, address, { ledger_index: "validated" });
  if (found !== undefined) return found;
  throw new EndpointFault(rpc.name, "it has no validated ledger");
}

/**
 * Returns our own account. A payment that the scanner has read is not under way any more, so the balance must be
 * without it.
 */
async function ownAccount(
  rpc: Rpc,
  address: string,
  readTo: bigint,
): Promise<XrpAccountState | null> {
  const { height, hash } = await readValidated(rpc);
  // Being a moment behind is not a fault. The second question may reach another server of a provider.
  if (height < readTo) {
    throw new RpcRefusal(`${rpc.name}: its balances are of ledger ${height}, below ${readTo}`);
  }
  const found = await readAccount(rpc, address, { ledger_hash: hash });
  if (found !== undefined) return found;
  throw new RpcRefusal(`${rpc.name}: it has no balances of its validated ledger ${height} yet`);
}

/** Returns what our own account lacks. The lowest answer counts: an endpoint that lags sees coins that are spent. */
async function lackOf(
  { quorum, account, feeMax, floor, underWay }: PreflightOptions,
  { units, prices }: Wanted,
): Promise<string | undefined> {
  const { readTo, payments, sends } = underWay ?? { readTo: 0n, payments: [], sends: 0 };
  const answers = await quorum.collect({
    what: `the account ${account.address}`,
    ask: (rpc) => ownAccount(rpc, account.address, readTo),
  });
  const spare = answers
    .map(({ value }) =>
      value === null ? 0n : value.balance - prices.reserve - prices.increment * value.ownerCount,
    )
    .reduce((low, one) => (one < low ? one : low));
  const needed = units + prices.fee + floor;
  // The fee of a signed payout is not read here, and none is above the limit.
  const taken = payments.reduce((sum, one) => sum + one.units, feeMax * BigInt(sends));
  if (spare - taken >= needed) return undefined;
  const floorNote = floor > 0n ? `, of which ${floor} stay in it` : "";
  const takenNote = sends > 0 ? `. ${sendsTake(sends)} up to ${taken} drops of it` : "";
  return `has ${spare} drops beside its reserve, and ${needed} are needed${floorNote}${takenNote}`;
}
