import type { OperationType, PaymentMethodItem } from "@exchange/contract";
import type { AddressUse, Choosing, ChoosingScreen, WalletDraft } from "./state.ts";

type Step = Exclude<ChoosingScreen, "currency">;

/** Whether the customer sends coins. They arrive as deposits and may have to be returned. */
export const sendsCrypto = (operation: OperationType): boolean =>
  operation === "S" || operation === "CC";

export const receivesCrypto = (operation: OperationType): boolean =>
  operation === "B" || operation === "CC";

/** The kind of a payment method: "card", "bank_transfer" or "crypto". */
export const kindOfMethod = (method: PaymentMethodItem): string => method.type ?? method.reference;

/** The screens of an operation, in order. */
export function stepsOf({ world, method }: Pick<Choosing, "world" | "method">): readonly Step[] {
  const steps: Step[] = ["amount"];
  if (!sendsCrypto(world.operation)) steps.push("method");
  steps.push(...(receivesCrypto(world.operation) ? (["wallet"] as const) : PAID_OUT));
  if (kindOfMethod(method) === "card") steps.push("card");
  return [...steps, "review"];
}

const PAID_OUT = ["delivery", "payout"] as const;

/** The numbers of "Step 2 of 5" for the present screen. */
export function progressOf(stage: Choosing): { readonly number: number; readonly total: number } {
  const steps = stepsOf(stage);
  return { number: steps.findIndex((step) => step === stage.screen) + 1, total: steps.length };
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
