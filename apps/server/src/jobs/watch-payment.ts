import type { Order } from "../domain/orders/order.ts";
import { isTerminal } from "../domain/orders/status.ts";
import { movedNote } from "../domain/orders/transitions.ts";
import { isUnderWay } from "../domain/payments/deposit.ts";
import type { PaymentInstruction } from "../domain/payments/payment-instruction.ts";
import type { BankDeposit } from "../domain/ports/bank-gateway.ts";
import type { ChainDeposit } from "../domain/ports/chain-gateway.ts";
import { UNITS_MAX } from "../domain/ports/chain-reader.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { advanceOrder } from "../flows/orders/advance.ts";
import { stepOf } from "../flows/orders/step-of.ts";
import { depositStep, type SeenDeposit } from "../flows/payments/record-deposits.ts";
import { keepAddressWatched } from "../storage/chains/addresses.ts";
import type { LeasedJob } from "../storage/jobs/jobs.ts";
import type { StepParts } from "../storage/orders/order-step.ts";
import { wasHeldFor } from "../storage/orders/timeline.ts";
import { listTakenDeposits } from "../storage/payments/deposits.ts";
import { findPaymentInstruction } from "../storage/payments/instructions.ts";
import { requireRail } from "./require-rail.ts";

/**
 * The intervals while a payment is awaited. They grow, because delay matters less the longer it
 * took.
 */
const LOOKS_WHILE_AWAITED = { ageDivisor: 100, minMs: 2_000, maxMs: 600_000 };
/** The interval after the order's end, when payments are rare. */
const LOOKS_AFTER_END = { ageDivisor: 4, minMs: 600_000, maxMs: 24 * 3_600_000 };
/** Late money of an order that has ended is looked for this long after its payment window. */
const WATCHED_AFTER_MS = 30 * 24 * 3_600_000;

/**
 * Asks the rail for payments at an order's instruction, and records them. It continues after the
 * order has ended, so that late money is not lost. It never ends before its order, which may be paid
 * again after any time in review, nor while a payment is under way.
 */
export async function watchPayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const instruction = await findPaymentInstruction(deps.database, job.orderId);
  if (!instruction) throw new Error(`order ${job.orderId} has no payment instruction`);
  failpoint("deposit.before_look");
  const { seen, movedIds } = await look(deps, instruction);
  failpoint("deposit.after_look");
  const { orderId, leaseToken: nextLease } = job;
  const applied = await advanceOrder(deps, { orderId, job, nextLease }, async (order, now) => {
    const { underWay, ...deposits } = await depositStep(deps, order, now, { instruction, seen });
    const parts = await orHold(deps, { order, now, movedIds }, deposits);
    const open = seen.filter(({ externalId }) => underWay.has(externalId));
    const after = { ...order, status: parts.change?.status ?? order.status };
    if (isOver(after, now) && !open.some((one) => isOnItsWay(instruction, one))) return parts;
    const when = { now: now.getTime(), confirmingMs: confirmingMsOf(open) };
    return { ...parts, runAgainInMs: askAgainMs(after, when) };
  });
  failpoint("deposit.after_record");
  const { networkCode, reference } = instruction;
  if (networkCode !== null && !isTerminal(applied.order.status)) {
    await keepAddressWatched(deps.database, { networkCode, reference });
  }
  return applied.next;
}

const isOver = ({ status, paymentExpiresAt }: Order, now: Date): boolean =>
  isTerminal(status) && now.getTime() > paymentExpiresAt.getTime() + WATCHED_AFTER_MS;

const isOnItsWay = ({ rail }: PaymentInstruction, { blockHash }: Seen): boolean =>
  isUnderWay({ rail, state: "seen", blockHash });

/** Returns how soon the rail has news of deposits that are not final; undefined without one. */
function confirmingMsOf(underWay: readonly Seen[]): number | undefined {
  if (underWay.length === 0) return undefined;
  return Math.min(...underWay.map((one) => one.askAgainMs));
}

const AWAITING_STATUSES: readonly Order["status"][] = [
  "awaiting_payment",
  "payment_pending",
  "in_review",
];

function askAgainMs(
  order: Order,
  when: { readonly now: number; readonly confirmingMs: number | undefined },
): number {
  if (when.confirmingMs !== undefined) return when.confirmingMs;
  const { ageDivisor, minMs, maxMs } = AWAITING_STATUSES.includes(order.status)
    ? LOOKS_WHILE_AWAITED
    : LOOKS_AFTER_END;
  const waitedMs = when.now - order.createdAt.getTime();
  return Math.min(Math.max(waitedMs / ageDivisor, minMs), maxMs);
}

/** A deposit, and how soon its rail has news of it. */
interface Seen extends SeenDeposit {
  readonly askAgainMs: number;
}

interface Found {
  readonly seen: readonly Seen[];
  /** The transfers that the bank lists for this order, and that paid another one. */
  readonly movedIds: readonly string[];
}

/**
 * Holds an order whose transfer paid another one, unless its deposits move it. A person decides about each transfer once.
 */
async function orHold(
  deps: Deps,
  found: { readonly order: Order; readonly now: Date; readonly movedIds: readonly string[] },
  parts: StepParts,
): Promise<StepParts> {
  const { order, now, movedIds } = found;
  if (parts.change) return parts;
  for (const transferId of movedIds) {
    const hold = { reason: "provider_error", note: movedNote(transferId) } as const;
    if (await wasHeldFor(deps.database, order.id, hold)) continue;
    return { ...parts, ...stepOf(deps, order, { kind: "transfer_moved", transferId }, now) };
  }
  return parts;
}

async function look(deps: Deps, instruction: PaymentInstruction): Promise<Found> {
  const { networkCode, address, memo, reference } = instruction;
  if (instruction.rail === "bank") {
    const bank = requireRail(deps.bank, "bank");
    const found = inBooks(deps, await bank.depositsTo(reference));
    const seen = found.map((one) => fromBank(bank.name, one));
    return withoutTaken(deps, instruction, seen);
  }
  if (networkCode === null || address === null) {
    throw new Error(`the instruction of order ${instruction.orderId} has no address`);
  }
  const place = { networkCode, address, memo };
  const found = await requireRail(deps.chain, "chain").depositsTo(place);
  return { seen: inBooks(deps, found).map((one) => fromChain(networkCode, one)), movedIds: [] };
}

interface Catalogued<Deposit> {
  readonly deposit: Deposit;
  readonly assetId: number | null;
}

type Reported = Pick<BankDeposit, "id" | "assetReference" | "units"> & { readonly state: string };

/**
 * Returns the deposits that can be booked. Anybody can send any asset, and a bank may list a line of nothing. Such a
 * deposit is only logged, so that it does not hide the money beside it. A bank may reject an announced transfer with such
 * a line: it has no asset, and is lost all the same.
 */
function inBooks<Deposit extends Reported>(
  { catalogue, log }: Deps,
  found: readonly Deposit[],
): Catalogued<Deposit>[] {
  return found.flatMap((deposit): Catalogued<Deposit>[] => {
    const { id, assetReference, units, state } = deposit;
    const currency = catalogue().currencyByCodeOrReference(assetReference);
    if (currency && units > 0n && units <= UNITS_MAX) return [{ deposit, assetId: currency.id }];
    if (state === "rejected") return [{ deposit, assetId: null }];
    const why = currency ? { units: String(units) } : { asset: assetReference.slice(0, 100) };
    log.warn({ deposit: id, ...why }, "ignored a deposit that cannot be booked");
    return [];
  });
}

/**
 * A bank may list one transfer under the references of two orders, or move it when it corrects a reference. It pays the
 * first order. Without this the second order's step would fail each time, with the money beside it.
 */
async function withoutTaken(
  { database, log }: Deps,
  { orderId }: PaymentInstruction,
  seen: readonly Seen[],
): Promise<Found> {
  const [first] = seen;
  if (first === undefined) return { seen, movedIds: [] };
  const externalIds = seen.map(({ externalId }) => externalId);
  const taken = await listTakenDeposits(database, { orderId, source: first.source, externalIds });
  for (const deposit of taken) log.warn({ deposit }, "ignored a deposit that paid another order");
  const isTaken = ({ externalId }: Seen): boolean => taken.includes(externalId);
  const moved = seen.filter((one) => isTaken(one) && one.state !== "lost");
  const movedIds = moved.map(({ externalId }) => externalId);
  return { seen: seen.filter((one) => !isTaken(one)), movedIds };
}

const BANK_STATES = { in_flight: "seen", settled: "final", rejected: "lost" } as const;

const fromBank = (source: string, { deposit, assetId }: Catalogued<BankDeposit>): Seen => ({
  source,
  externalId: deposit.id,
  assetId,
  units: deposit.units,
  state: BANK_STATES[deposit.state],
  confirmations: 0,
  blockHash: null,
  askAgainMs: deposit.askAgainMs,
});

/** Where no reader says what is final, the number of confirmations alone decides. */
function fromChain(source: string, { deposit, assetId }: Catalogued<ChainDeposit>): Seen {
  const isFinal = deposit.isFinal ?? deposit.state === "in_block";
  const pending = deposit.state === "orphaned" ? ("lost" as const) : ("seen" as const);
  return {
    source,
    externalId: deposit.id,
    assetId,
    units: deposit.units,
    state: isFinal ? "final" : pending,
    confirmations: deposit.confirmations,
    blockHash: deposit.blockHash,
    askAgainMs: deposit.askAgainMs,
  };
}
