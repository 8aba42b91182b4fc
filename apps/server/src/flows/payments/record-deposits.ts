import { money } from "@exchange/money";
import type { Coverage, FinalDeposit } from "../../domain/orders/events.ts";
import { neverRejected } from "../../domain/orders/held.ts";
import { type OrderEvent, writesOf } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { coverageOf, receivedUnits } from "../../domain/orders/received.ts";
import { isSettled } from "../../domain/orders/status.ts";
import { writesOfExcess } from "../../domain/orders/writes.ts";
import { type Deposit, isUnderWay, type NewDeposit } from "../../domain/payments/deposit.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import { requiredConfirmations } from "../../domain/payments/required-confirmations.ts";
import type { StepParts } from "../../storage/orders/order-step.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import type { Deps } from "../deps.ts";
import { derivedUuid } from "../derived-uuid.ts";
import { heldOf, readMoney, receiptsOf } from "../orders/held-money.ts";
import { stepOf, stepOfWrites } from "../orders/step-of.ts";
import { isWorthReturning, newExcessRefunds } from "../payouts/owe.ts";

/** A rail's report of money at an order's payment instruction, in our terms. */
export interface SeenDeposit {
  /** The network or the bank that reports it. */
  readonly source: string;
  readonly externalId: string;
  /** Null for a lost deposit of which the rail names no amount any more. */
  readonly assetId: number | null;
  readonly units: bigint;
  /** The rail's word. A chain's `final` waits for the confirmations that the amount needs. */
  readonly state: Deposit["state"];
  readonly confirmations: number;
  readonly blockHash: string | null;
}

type DepositKey = Pick<Deposit, "source" | "externalId">;
const isSame = (one: DepositKey, other: DepositKey): boolean =>
  one.source === other.source && one.externalId === other.externalId;

/** The deposits that were found at the instruction of an order. */
export interface Sighting {
  readonly instruction: PaymentInstruction;
  readonly seen: readonly SeenDeposit[];
}

export interface DepositStep extends StepParts {
  /** The external ids of the deposits that are not final yet. */
  readonly underWay: ReadonlySet<string>;
}

/**
 * Returns the step that records a rail's report and moves the order. Money that became final is
 * booked once, under the rail's own id. The same report again writes nothing.
 */
export async function depositStep(
  deps: Deps,
  order: Order,
  now: Date,
  sighting: Sighting,
): Promise<DepositStep> {
  const before = await listDeposits(deps.database, order.id);
  const { instruction } = sighting;
  const judged = judgeDeposits(deps, before, { instruction, seen: sized(sighting.seen, before) });
  const underWay = judged.filter(({ state }) => state === "seen");
  return {
    ...(await partsOf(deps, order, now, { before, judged, instruction })),
    underWay: new Set(underWay.map(({ externalId }) => externalId)),
  };
}

interface SizedDeposit extends SeenDeposit {
  readonly assetId: number;
}

/** Returns the deposits with their amounts: the stored amount where the rail names none. One without both is left out. */
const sized = (seen: readonly SeenDeposit[], before: readonly Deposit[]): SizedDeposit[] =>
  seen.flatMap((deposit) => {
    const stored = before.find((one) => isSame(one, deposit));
    const { assetId, units } = deposit.assetId === null ? (stored ?? deposit) : deposit;
    return assetId === null ? [] : [{ ...deposit, assetId, units }];
  });

/** A sighting with the number of confirmations that decides, and the state that follows. */
interface JudgedDeposit extends SizedDeposit {
  readonly confirmationsRequired: number | null;
}

/**
 * Decides how many confirmations each deposit needs, and whether it is final. The number is decided when a deposit is
 * first seen and stored with it. More money at the same address may raise it, and no price lowers it.
 */
function judgeDeposits(
  { catalogue }: Pick<Deps, "catalogue">,
  before: readonly Deposit[],
  { instruction, seen }: Omit<Sighting, "seen"> & { readonly seen: readonly SizedDeposit[] },
): readonly JudgedDeposit[] {
  if (instruction.rail === "bank") {
    return seen.map((deposit) => ({ ...deposit, confirmationsRequired: null }));
  }
  const storedOf = (deposit: DepositKey): Deposit | undefined =>
    before.find((stored) => isSame(stored, deposit));
  const sighted = seen.map((deposit) => {
    const { confirmationsRequired = null } = storedOf(deposit) ?? {};
    return { ...deposit, confirmationsRequired };
  });
  const others = before.filter((stored) => sighted.every((one) => storedOf(one) !== stored));
  const deposits = [...others, ...sighted];
  const required = requiredConfirmations(catalogue(), { instruction, deposits });
  return sighted.map((deposit) => {
    const isDeep = required !== undefined && deposit.confirmations >= required;
    const state = deposit.state === "final" && !isDeep ? "seen" : deposit.state;
    const isLost = state === "lost";
    const confirmationsRequired = isLost ? deposit.confirmationsRequired : (required ?? null);
    return { ...deposit, state, confirmationsRequired };
  });
}

interface Judgement {
  readonly before: readonly Deposit[];
  readonly judged: readonly JudgedDeposit[];
  readonly instruction: PaymentInstruction;
}

async function partsOf(
  deps: Deps,
  order: Order,
  now: Date,
  { before, judged, instruction }: Judgement,
): Promise<StepParts> {
  const changed = changedDeposits(order, { before, judged, instruction });
  // The oldest come first: an exchange consumes them before the later ones.
  const deposits = [
    ...before.map((old) => changed.find(({ id }) => id === old.id) ?? old),
    ...changed.filter(({ id }) => !before.some((old) => old.id === id)),
  ];
  const change = { order, before, changed, deposits };
  const event = eventOf(deps, change);
  const step = event && stepOf(deps, order, event, now);
  const written = step ?? (event && (await writtenBeside(deps, change, event))) ?? {};
  return changed.length === 0 ? written : { ...written, deposits: changed };
}

function changedDeposits(order: Order, { before, judged, instruction }: Judgement): NewDeposit[] {
  return judged.flatMap((deposit) => {
    const stored = before.find((one) => isSame(one, deposit));
    // A chain's deposit stays as first seen. A bank settles another amount where a bank on the way took a fee.
    const { assetId, units } = instruction.rail === "bank" ? deposit : (stored ?? deposit);
    const isNews =
      stored?.state !== deposit.state ||
      stored.assetId !== assetId ||
      stored.units !== units ||
      stored.confirmations !== deposit.confirmations ||
      stored.confirmationsRequired !== deposit.confirmationsRequired ||
      (stored.blockHash === null) !== (deposit.blockHash === null);
    if (stored?.state === "final" || !isNews) return [];
    const { source, externalId } = deposit;
    const fact = ["deposit", order.merchantId, order.id, instruction.rail, source, externalId];
    const id = stored?.id ?? derivedUuid(order.createdAt, fact);
    return [{ ...deposit, assetId, units, id, rail: instruction.rail }];
  });
}

interface Change {
  readonly order: Order;
  readonly before: readonly Deposit[];
  readonly changed: readonly NewDeposit[];
  /** All of the order's deposits, including the change. */
  readonly deposits: readonly NewDeposit[];
}

/**
 * The event of the final money, else of the money under way, else of the lost money. Coins that went from a block back
 * to the nodes' pools are lost until the next block has them.
 */
function eventOf(deps: Deps, { order, before, changed, deposits }: Change): OrderEvent | undefined {
  const newlyFinal = changed.filter(({ state }) => state === "final");
  const final = deposits.filter(({ state }) => state === "final");
  if (newlyFinal.length > 0) {
    return {
      kind: "deposit_final",
      coverage: coverageWithoutDust(deps, order, final),
      receivedUnits: (order.receivedUnits ?? 0n) + receivedUnits(order, newlyFinal),
      deposits: newlyFinal.map((deposit) => finalOf(deps, deposit)),
    };
  }
  if (deposits.some(isUnderWay)) {
    return { kind: "deposit_seen" };
  }
  const lost = changed.find(
    (deposit) =>
      deposit.state !== "final" &&
      before.some((old) => old.id === deposit.id && old.state === "seen"),
  );
  if (!lost) return undefined;
  const reason = lost.rail === "bank" ? "bank_rejected" : "chain_reorg";
  return { kind: "deposit_lost", reason };
}

/**
 * Returns the coverage. Coins too many that are not worth returning do not hold an order, because anybody can send them to
 * its address. They stay held like coins that come after the payment.
 */
function coverageWithoutDust(
  deps: Deps,
  order: Order,
  final: readonly Pick<NewDeposit, "rail" | "assetId" | "units">[],
): Coverage {
  const coverage = coverageOf(order, final);
  if (coverage !== "overpaid" || final.some(({ rail }) => rail !== "chain")) return coverage;
  const units = receivedUnits(order, final) - order.spendUnits;
  const excess = { rail: "chain", assetId: order.spendAssetId, units } as const;
  return isWorthReturning(deps, [excess]) ? coverage : "exact";
}

const finalOf = (deps: Deps, { id, rail, assetId, units }: NewDeposit): FinalDeposit => ({
  depositId: id,
  rail,
  amount: money(deps.catalogue().requireCurrency(assetId), units),
});

/** Books money that does not move the order. It is returned where the order is settled. */
async function writtenBeside(
  deps: Deps,
  { order, deposits }: Change,
  event: OrderEvent,
): Promise<StepParts | undefined> {
  if (event.kind !== "deposit_final") return undefined;
  const booked = writesOf(event);
  if (!isSettled(order.status)) return stepOfWrites(order, booked);
  const { receipts, ...rest } = await readMoney(deps.database, order.id);
  const cards = receipts.filter(({ depositId }) => depositId === null);
  const held = heldOf(order, { ...rest, receipts: [...cards, ...receiptsOf(deposits)] });
  const debtor = { order, intents: rest.intents };
  const excess = newExcessRefunds(deps, debtor, neverRejected(held, rest.intents));
  const returned = writesOfExcess(excess);
  return stepOfWrites(order, {
    ...booked,
    ...returned,
    entries: [...(booked.entries ?? []), ...(returned.entries ?? [])],
  });
}
