import type { Queryable } from "../../storage/postgres/database.ts";
import { decidePayment, findPayment, type StoredPayment } from "./store.ts";

/** How long the card that is answered late is worked on. */
const LATE_SECONDS = 2;
/** An older answer is told this long. */
const OUT_OF_ORDER_SECONDS = 0.5;
/** The processor that says nothing gives the payment up after this much business time. */
const SILENT_SECONDS = 60 * 60;

/** The payment as it is by now: what was late has happened when its time has come. */
export async function catchUp(database: Queryable, payment: StoredPayment): Promise<StoredPayment> {
  const end = payment.status === "processing" ? endOf(payment) : undefined;
  if (!end) return payment;
  await decidePayment(database, payment.reference, end);
  return (await findPayment(database, payment.reference)) ?? payment;
}

/** While it is silent no question about the payment is answered. */
export const isSilent = (payment: StoredPayment): boolean =>
  payment.outcome === "no_answer" && payment.status === "processing";

function endOf({ outcome, ageSeconds, businessAgeSeconds }: StoredPayment) {
  const approved = { status: "authorized", declineReason: null } as const;
  switch (outcome) {
    case "late_answer":
      return ageSeconds >= LATE_SECONDS ? approved : undefined;
    case "answers_out_of_order":
      return ageSeconds >= OUT_OF_ORDER_SECONDS ? approved : undefined;
    case "no_answer":
      return businessAgeSeconds >= SILENT_SECONDS
        ? ({ status: "voided", declineReason: "no_answer" } as const)
        : undefined;
    default:
      return undefined;
  }
}
