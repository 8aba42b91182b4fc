import type { Queryable } from "../../storage/postgres/database.ts";
import { decidePayment, findPayment, type StoredPayment } from "./store.ts";

/** The delay of the card with a late answer. */
const LATE_SECONDS = 2;
/** The time for which an outdated answer is returned. */
const OUT_OF_ORDER_SECONDS = 0.5;
/** The silent processor gives the payment up after this business time. */
const SILENT_SECONDS = 60 * 60;

/** Returns the payment after its late events that are due have happened. */
export async function catchUp(database: Queryable, payment: StoredPayment): Promise<StoredPayment> {
  const end = payment.status === "processing" ? endOf(payment) : undefined;
  if (!end) return payment;
  await decidePayment(database, payment.reference, end);
  return (await findPayment(database, payment.reference)) ?? payment;
}

/** Returns whether the processor is silent about the payment: then it answers no call. */
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
