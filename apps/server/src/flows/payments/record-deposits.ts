import { money } from "@exchange/money";
import { depositEntry } from "../../domain/ledger/order-entries.ts";
import { decide, type OrderEvent } from "../../domain/orders/machine.ts";
import { coverageOf, receivedUnits } from "../../domain/orders/received.ts";
import { recordEntry } from "../../storage/ledger/entries.ts";
import { noteReceived } from "../../storage/orders/details.ts";
import type { LockedOrder } from "../../storage/orders/orders.ts";
import { type Deposit, keepDeposit, listDeposits } from "../../storage/payments/deposits.ts";
import type { PaymentInstruction } from "../../storage/payments/instructions.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";
import { carryOutMove } from "../orders/move.ts";
import { requireOrder } from "../orders/require-order.ts";
import { returnExcess } from "../orders/return-excess.ts";

/** What a rail reports of money at an order's instruction, in our words. */
export interface SeenDeposit {
  readonly externalId: string;
  readonly assetId: number;
  readonly units: bigint;
  readonly state: Deposit["state"];
  readonly confirmations: number;
  readonly blockHash: string | null;
}

/** What was found at the instruction of an order. */
export interface Sighting {
  readonly instruction: PaymentInstruction;
  readonly seen: readonly SeenDeposit[];
}

/**
 * Writes down what a rail reports and lets the order move: what became final is booked once, under
 * the rail's own name of it. One database transaction; the same report again changes nothing.
 */
export async function recordDeposits(
  tx: Tx,
  deps: Deps,
  { instruction, seen }: Sighting,
): Promise<void> {
  const order = await requireOrder(tx, instruction.orderId);
  const before = await listDeposits(tx, order.id);
  const changed = seen.filter((deposit) => isNews(before, deposit));
  for (const deposit of changed) await keepSeen(tx, deps, { order, instruction, deposit });
  const deposits = changed.length === 0 ? before : await listDeposits(tx, order.id);
  const newlyFinal = deposits.filter(
    ({ id, state }) =>
      state === "final" && !before.some((old) => old.id === id && old.state === "final"),
  );
  for (const deposit of newlyFinal) bookDeposit(tx, deps, { order, deposit });
  await moveOn(tx, deps, { order, before, deposits, newlyFinal });
}

const isNews = (before: readonly Deposit[], seen: SeenDeposit): boolean => {
  const known = before.find(({ externalId }) => externalId === seen.externalId);
  if (known?.state === "final") return false;
  return known?.state !== seen.state || known.confirmations !== seen.confirmations;
};

async function keepSeen(
  tx: Tx,
  deps: Deps,
  what: {
    readonly order: LockedOrder;
    readonly instruction: PaymentInstruction;
    readonly deposit: SeenDeposit;
  },
): Promise<void> {
  const { order, instruction, deposit } = what;
  await keepDeposit(tx, {
    id: deps.ids.orderedUuid(),
    orderId: order.id,
    merchantId: order.merchantId,
    rail: instruction.rail,
    ...deposit,
  });
}

function bookDeposit(
  tx: Tx,
  deps: Deps,
  what: { readonly order: LockedOrder; readonly deposit: Deposit },
): void {
  const { order, deposit } = what;
  const amount = money(currencyOf(deps.catalogue(), deposit.assetId), deposit.units);
  const entry = depositEntry({ depositId: deposit.id, rail: deposit.rail, amount });
  recordEntry(tx, entry, { merchantId: order.merchantId, orderId: order.id });
}

interface Change {
  readonly order: LockedOrder;
  readonly before: readonly Deposit[];
  readonly deposits: readonly Deposit[];
  readonly newlyFinal: readonly Deposit[];
}

async function moveOn(tx: Tx, deps: Deps, change: Change): Promise<void> {
  const { order, deposits, newlyFinal } = change;
  const final = deposits.filter(({ state }) => state === "final");
  const received = receivedUnits(order, final);
  const event = eventOf(change, final);
  const move = event && decide(order, event, order.lockedAt);
  if (move) {
    await carryOutMove(tx, deps, { order, move, details: { receivedUnits: received } });
  } else if (newlyFinal.length > 0) {
    await returnExcess(tx, deps, await noteReceived(tx, order, received));
  }
}

/** What the order has to be told: the money that is final, else what is under way, else what is lost. */
function eventOf(change: Change, final: readonly Deposit[]): OrderEvent | undefined {
  const { order, before, deposits, newlyFinal } = change;
  if (newlyFinal.length > 0) return { kind: "deposit_final", coverage: coverageOf(order, final) };
  if (deposits.some(({ state }) => state === "seen")) return { kind: "deposit_seen" };
  const lost = deposits.find(
    ({ id, state }) =>
      state === "lost" && before.some((old) => old.id === id && old.state === "seen"),
  );
  if (!lost) return undefined;
  return { kind: "deposit_lost", reason: lost.rail === "bank" ? "bank_rejected" : "chain_reorg" };
}
