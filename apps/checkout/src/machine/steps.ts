import type { OperationType, PaymentMethodItem } from "@exchange/contract";
import { locksOf } from "./locks.ts";
import type { AddressUse, Choosing, ChoosingScreen, WalletDraft } from "./state.ts";

type Step = Exclude<ChoosingScreen, "currency">;

/** Whether the customer sends coins. They arrive as deposits and may have to be returned. */
export const sendsCrypto = (operation: OperationType): boolean =>
  operation === "S" || operation === "CC";

export const receivesCrypto = (operation: OperationType): boolean =>
  operation === "B" || operation === "CC";

/** The kind of a payment method: "card", "bank_transfer" or "crypto". */
export const kindOfMethod = (method: PaymentMethodItem): string => method.type ?? method.reference;

type Deal = Pick<Choosing, "world" | "method" | "receive">;

/** Whether the merchant's server fixed the whole exchange, so that the customer has nothing to decide about it. */
export function isFixed({
  session,
  offered,
}: Pick<Choosing["world"], "session" | "offered">): boolean {
  const locks = locksOf(session);
  return offered.length === 1 && locks.amount && locks.spendCurrency && locks.receiveCurrency;
}

/** Whether the review also asks how the customer pays. A fixed exchange has no other screen for it. */
export const paysOnReview = ({ world }: Pick<Choosing, "world">): boolean =>
  isFixed(world) && !sendsCrypto(world.operation);

/** The screens of an operation, in order. */
export function stepsOf(stage: Deal): readonly Step[] {
  const { operation } = stage.world;
  const steps: Step[] = [];
  if (!isFixed(stage.world)) {
    steps.push("amount");
    if (!sendsCrypto(operation)) steps.push("method");
  }
  if (!receivesCrypto(operation)) steps.push("delivery", "payout");
  else if (asksForWallet(stage)) steps.push("wallet");
  if (kindOfMethod(stage.method) === "card" && !paysOnReview(stage)) steps.push("card");
  return [...steps, "review"];
}

/** A fixed exchange to a fixed address asks for nothing else. */
function asksForWallet({ world, receive }: Deal): boolean {
  const { wallet, memo } = locksOf(world.session);
  const isLocked = wallet && (memo || receive.memo === "none");
  return !(isFixed(world) && isLocked && world.operation === "B");
}

/**
 * The numbers of "Step 2 of 4" for the present screen. The card and the review are one step, the last, so that no choice
 * of a method changes a number.
 */
export function progressOf(stage: Choosing): { readonly number: number; readonly total: number } {
  const steps = stepsOf(stage).filter((step) => step !== "card");
  const present = stage.screen === "card" ? "review" : stage.screen;
  return { number: steps.findIndex((step) => step === present) + 1, total: steps.length };
}

export function screenAfter(stage: Choosing): ChoosingScreen {
  const steps = stepsOf(stage);
  return steps[steps.findIndex((step) => step === stage.screen) + 1] ?? stage.screen;
}

export function screenBefore(stage: Choosing): ChoosingScreen {
  const steps = stepsOf(stage);
  return steps[steps.findIndex((step) => step === stage.screen) - 1] ?? "amount";
}

/** Whether Continue needs a price on this screen. */
export const needsQuote = (screen: ChoosingScreen): boolean =>
  screen === "amount" || screen === "method" || screen === "delivery";

/** The addresses that the screen has fields for. */
export function addressesOn({ screen, world }: Choosing): readonly AddressUse[] {
  const refund = sendsCrypto(world.operation) ? (["refund"] as const) : [];
  if (screen === "wallet") return ["wallet", ...refund];
  return screen === "payout" ? refund : [];
}

/** Whether an address needs no check: accepted, or empty where that is allowed. */
export const isSettled = (use: AddressUse, draft: WalletDraft): boolean =>
  draft.check === "accepted" || (use === "refund" && draft.address === "");

export const coinFor = (stage: Choosing, use: AddressUse) =>
  use === "wallet" ? stage.receive : stage.spend;
