import { fromDecimal, type Money, money, normalize, parseDecimal } from "@exchange/money";
import { suspenseEntry } from "../../domain/ledger/order-entries.ts";
import { lineKey, MOVED_AS_ASKED } from "../../domain/ledger/reconcile.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import { endRailBreaks } from "../../storage/audit/breaks.ts";
import { type ControlChange, logControl } from "../../storage/audit/control-log.ts";
import {
  lockHistory,
  type NextPlaces,
  raisePlaces,
  readHistory,
  setReconciled,
} from "../../storage/history.ts";
import { bookRestoredLine } from "../../storage/ledger/restored-lines.ts";
import { findMerchant } from "../../storage/merchants/merchants.ts";
import { hurryWaitingPayouts } from "../../storage/payouts/controls.ts";
import { adoptPayoutIntent } from "../../storage/payouts/sends.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { advanceOrder } from "../orders/advance.ts";
import { attemptIdOf } from "../payments/pay-by-card.ts";
import { Refusal } from "../refusal.ts";
import { type Difference, listDifferences } from "./differences.ts";
import type { RailLine } from "./rail-lines.ts";

/** Adopts a payout or a card payment that an order in the books has made. Refuses any other difference. */
export async function adoptLine(deps: Deps, difference: Difference, by: Operator): Promise<void> {
  const operator = requireOperator(deps, by);
  const { line } = difference;
  if (difference.cure === "adopt_payout") {
    requireAmount(deps, line, {
      assetId: difference.intent.assetId,
      units: difference.intent.units,
    });
    const sendId = deps.ids.uuid();
    await deps.database.transaction(async (tx) => {
      if (
        await adoptPayoutIntent(tx, { intentId: difference.intent.id, sendId }, line.railReference)
      ) {
        await logControl(tx, logged("adopt_line", operator, line));
      }
      await hurryWaitingPayouts(tx);
    });
    return;
  }
  if (difference.cure !== "adopt_capture") {
    throw new Refusal("INVALID_INPUT", {
      message: `${lineKey(line)} belongs to no payment in the books, so it cannot be adopted. Book it with --book.`,
    });
  }
  const control = logged("adopt_line", operator, line);
  await adoptCapture(deps, difference.order, { line, number: difference.number, control });
}

/**
 * Writes the card payment that a restore lost, as the card attempt that it was. Its job asks the processor and records the
 * capture as usual, also of another amount than the order's.
 */
async function adoptCapture(
  deps: Deps,
  { id: orderId }: Order,
  adopted: { readonly line: RailLine; readonly number: number; readonly control: ControlChange },
): Promise<void> {
  const { line, number, control } = adopted;
  await advanceOrder(deps, { orderId }, (order) => {
    const { merchantId, spendAssetId: assetId } = order;
    const { asset, units } = amountOf(deps, line);
    if (asset.id !== assetId) throw otherAmount(line);
    const attemptId = attemptIdOf(order, number);
    const card = { cardToken: "lost", brand: "unknown", lastFour: "0000", billingSealed: null };
    return {
      payment: { id: attemptId, orderId, merchantId, number, assetId, units, ...card },
      control,
      jobs: [{ kind: "capture_payment", subject: attemptId, orderId, merchantId }],
    };
  });
}

/** Books a movement of an order that the restore lost, against `suspense` of a merchant. */
export async function bookLine(
  deps: Deps,
  line: RailLine,
  by: { readonly merchantId: string; readonly operator: Operator },
): Promise<void> {
  const operator = requireOperator(deps, by.operator);
  if (!(await findMerchant(deps.database, by.merchantId))) {
    throw new Refusal("NOT_FOUND", { message: `There is no merchant ${by.merchantId}.` });
  }
  const amount = amountOf(deps, line);
  const { kind, source, reference, railReference, rail } = line;
  const name = [source, reference, railReference].join(":");
  const entry = suspenseEntry({ kind, name, rail, amount });
  const { units } = amount;
  await deps.database.transaction(async (tx) => {
    const { person } = operator;
    await bookRestoredLine(tx, { line, entry, units, merchantId: by.merchantId, person });
    await logControl(tx, logged("book_line", operator, line));
  });
}

/** Returns whether a restored database is reconciled with the rails. Deposits do not count, because they arrive at any time. */
const isReconciled = (differences: readonly Difference[]): boolean =>
  differences.every(({ line }) => line.kind === "deposit");

/**
 * Ends the state of a restored database when nothing is left to adopt or book. The wallets' next places move to those
 * of the chains, and webhooks are sent again. Two people then resume the payouts. Returns the differences that are
 * left.
 */
export async function finishReconciling(
  deps: Deps,
  by: { readonly since: Date; readonly operator: Operator },
): Promise<readonly Difference[]> {
  const operator = requireOperator(deps, by.operator);
  const left = await listDifferences(deps, by.since);
  const { restoredWhy } = await readHistory(deps.database);
  if (!isReconciled(left) || restoredWhy === null) return left;
  const wallets = await nextPlaces(deps);
  await deps.database.transaction(async (tx) => {
    await lockHistory(tx);
    for (const wallet of wallets) await raisePlaces(tx, wallet);
    await setReconciled(tx);
    await endRailBreaks(tx, MOVED_AS_ASKED);
    await logControl(tx, {
      operator,
      action: "reconcile",
      subject: "history",
      before: { restoredWhy },
      after: null,
    });
  });
  return left;
}

async function nextPlaces({ chain, catalogue }: Deps) {
  const wallets: NextPlaces[] = [];
  for (const { code: networkCode } of catalogue().networks) {
    const hot = (await chain?.nextPlace?.(networkCode)) ?? 0n;
    const gas = (await chain?.tankPlace?.(networkCode)) ?? 0n;
    if (hot > 0n || gas > 0n) wallets.push({ networkCode, hot, gas });
  }
  return wallets;
}

function amountOf(deps: Pick<Deps, "catalogue">, line: RailLine): Money {
  const currency = deps.catalogue().currencyByCodeOrReference(line.assetReference);
  if (!currency) {
    throw new Refusal("INVALID_INPUT", {
      message: `${lineKey(line)} is in ${line.assetReference}, which the catalogue does not have. Add the currency first.`,
    });
  }
  if ("units" in line.amount) return money(currency, line.amount.units);
  const coins = parseDecimal(line.amount.coins);
  if (!coins)
    throw new Error(`the amount of ${lineKey(line)} is not a number: ${line.amount.coins}`);
  const { code, decimals } = currency;
  if (normalize(coins).scale <= decimals) return fromDecimal(currency, coins, "down");
  // A rounded amount would leave the rest in no books, and a payout of it is not the one that was owed.
  throw new Refusal("AMOUNT_PRECISION", {
    message: `The rail says that ${lineKey(line)} moved ${line.amount.coins} ${code}, which has ${decimals} decimals. Ask the rail for the exact amount, and correct the currency in the catalogue if it has more decimals.`,
  });
}

/** An amount that differs is not adopted: people must find out why. */
function requireAmount(
  deps: Pick<Deps, "catalogue">,
  line: RailLine,
  ours: { readonly assetId: number; readonly units: bigint },
): void {
  const { asset, units } = amountOf(deps, line);
  if (asset.id !== ours.assetId || units !== ours.units) throw otherAmount(line);
}

const otherAmount = (line: RailLine): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The rail moved another amount for ${lineKey(line)} than the books say. Ask the rail, and correct the order first.`,
  });

const logged = (
  action: "adopt_line" | "book_line",
  operator: Operator,
  line: RailLine,
): ControlChange => ({
  operator,
  action,
  subject: lineKey(line),
  before: null,
  after: { rail: line.rail, railReference: line.railReference },
});
