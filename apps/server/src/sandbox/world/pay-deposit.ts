import type { SandboxDepositRequest } from "@exchange/contract";
import { parseDecimal } from "@exchange/money";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { OrderKey } from "../../flows/orders/read.ts";
import { Refusal } from "../../flows/refusal.ts";
import { requireUnits } from "../../flows/requirements.ts";
import type { SandboxDeps } from "../deps.ts";
import {
  finalConfirmations,
  missingUnits,
  type PayableOrder,
  recordedStateOf,
  requirePayable,
  targetOf,
} from "./sandbox-payment.ts";
import type { SandboxDeposit, SandboxDepositChange } from "./sandbox-world.ts";
import { watchOrder } from "./watch-order.ts";

export type PayDeposit = OrderKey & {
  /** The id of the deposit when the request names none. The same id is paid once. */
  readonly newId: string;
  readonly request: SandboxDepositRequest;
};

export interface PaidDeposit {
  readonly orderId: bigint;
  readonly deposit: SandboxDeposit;
  readonly currency: Currency;
}

/** The time that the answer waits for the order to record the money. */
const SEEN_MS = 5_000;

/**
 * Pays an order's address or bank account, or moves an earlier payment on. The order has recorded it when
 * this returns, unless no job watches it any more. Refuses NOT_FOUND, INVALID_ORDER_STATE, INVALID_INPUT,
 * CURRENCY_NOT_FOUND, NETWORK_MISMATCH, AMOUNT_PRECISION and PROVIDER_UNAVAILABLE.
 */
export async function payDeposit(deps: SandboxDeps, command: PayDeposit): Promise<PaidDeposit> {
  const { newId, request, ...key } = command;
  const view = await requirePayable(deps, key);
  const deposit =
    request.depositId === undefined
      ? await payNew(deps, view, { ...request, newId })
      : await moveOn(deps, view, { ...request, depositId: request.depositId });
  const state = recordedStateOf(deposit, finalConfirmations(deps, view, deposit));
  const isSeen = ({ deposits }: OrderView): boolean =>
    deposits.some(
      (recorded) =>
        recorded.externalId === deposit.externalId &&
        recorded.state === state &&
        (state !== "seen" || recorded.confirmations >= deposit.confirmations),
    );
  await watchOrder(deps, key, { until: isSeen, patienceMs: SEEN_MS });
  const currency = deps.catalogue().currencyByCodeOrReference(deposit.assetReference);
  if (!currency) throw new Error(`the catalogue has no ${deposit.assetReference}`);
  return { orderId: key.orderId, deposit, currency };
}

async function payNew(
  deps: SandboxDeps,
  view: PayableOrder,
  request: SandboxDepositRequest & { readonly newId: string },
): Promise<SandboxDeposit> {
  const { instruction } = view;
  if (request.state !== undefined) {
    throw refuse("state", "needs depositId: only an existing deposit can be dropped");
  }
  const currency = currencyFor(deps, view, request.currency);
  const paid = await deps.world.paymentsTo(targetOf(instruction));
  const repeated = paid.find(({ id }) => id === request.newId);
  if (repeated) return repeated;
  const units =
    request.amount === undefined
      ? await wholeUnits(deps, view, currency)
      : unitsOf(currency, request.amount);
  const payment = { assetReference: currency.reference, units };
  return deps.world.pay({
    ...payment,
    id: request.newId,
    target: targetOf(instruction),
    confirmations: request.confirmations ?? finalConfirmations(deps, view, payment),
    returns: request.returns ?? "accepted",
  });
}

function wholeUnits(deps: SandboxDeps, view: PayableOrder, currency: Currency): Promise<bigint> {
  if (currency.id === view.order.spendAssetId) return missingUnits(deps, view);
  throw refuse("amount", "is required for a currency other than the order's");
}

function unitsOf(currency: Currency, amount: number): bigint {
  const coins = parseDecimal(String(amount));
  if (!coins) throw refuse("amount", "is not a decimal number");
  return requireUnits(currency, coins, "amount");
}

/** A currency code means the currency on the order's network. */
function currencyFor(
  deps: SandboxDeps,
  { order }: PayableOrder,
  text: string | undefined,
): Currency {
  const catalogue = deps.catalogue();
  const spent = catalogue.requireCurrency(order.spendAssetId);
  if (text === undefined) return spent;
  const fits = (item: Currency): boolean =>
    item.kind === spent.kind && item.networkCode === spent.networkCode;
  const named = catalogue.currencyByCodeOrReference(text);
  const found = catalogue.currenciesByCode(text).find(fits) ?? named;
  if (!found) throw new Refusal("CURRENCY_NOT_FOUND");
  if (fits(found)) return found;
  throw new Refusal("NETWORK_MISMATCH", {
    message: `${found.reference} cannot be sent to this order's address or account.`,
    details: [{ field: "currency", issue: "is of another network, or of none" }],
  });
}

async function moveOn(
  deps: SandboxDeps,
  view: PayableOrder,
  request: SandboxDepositRequest & { readonly depositId: string },
): Promise<SandboxDeposit> {
  for (const member of ["amount", "currency", "returns"] as const) {
    if (request[member] !== undefined) throw refuse(member, "cannot be changed: leave it out");
  }
  const world = deps.world;
  const paid = await world.paymentsTo(targetOf(view.instruction));
  const wanted = request.depositId.toLowerCase();
  const deposit = paid.find(({ id }) => id === wanted);
  if (!deposit) throw new Refusal("NOT_FOUND", { message: "This order has no such deposit." });
  const confirmations = finalConfirmations(deps, view, deposit);
  const change = changeOf(request, { rail: deposit.rail, confirmations });
  // A final deposit never disappears on a real network, and the audit would stop every payout.
  if (change.kind === "drop" && recordedStateOf(deposit, confirmations) === "final") {
    throw stays("final");
  }
  const changed = await world.change(deposit, change);
  if (changed) return changed;
  throw stays(deposit.state);
}

const stays = (state: string): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message: `The transfer is already ${state} and cannot change.`,
  });

const DROPPED = { bank: "rejected", chain: "orphaned" } as const;

function changeOf(
  { state, confirmations }: SandboxDepositRequest,
  final: { readonly rail: "bank" | "chain"; readonly confirmations: number },
): SandboxDepositChange {
  if (state === undefined) {
    return { kind: "confirm", confirmations: confirmations ?? final.confirmations };
  }
  if (confirmations !== undefined)
    throw refuse("confirmations", "is not accepted together with state");
  if (state === DROPPED[final.rail]) return { kind: "drop" };
  throw refuse("state", `of this deposit can be ${DROPPED[final.rail]} only`);
}

const refuse = (member: string, issue: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The request is not valid: body.${member} ${issue}.`,
    details: [{ field: member, issue }],
  });
