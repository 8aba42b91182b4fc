import { finishJob } from "../../storage/jobs/jobs.ts";
import { updatePaymentAttempt } from "../../storage/payments/attempts.ts";
import type { Deps } from "../deps.ts";
import type { CardAnswer } from "./record-card-payment.ts";

/** The authorization is let go, or was refused before: nothing of it will be captured. */
export async function recordVoid(deps: Deps, answer: CardAnswer): Promise<void> {
  const { job, attempt, payment } = answer;
  if (payment.status === "captured" || payment.status === "authorized") {
    throw new Error(`attempt ${attempt.id} is ${payment.status} after it was voided`);
  }
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    updatePaymentAttempt(tx, attempt.id, { ...payment, challengeUrl: null });
  });
}

/** The order ended before the card was asked: it never will be. */
export async function recordUnasked(
  deps: Deps,
  { job, attempt }: Pick<CardAnswer, "job" | "attempt">,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    updatePaymentAttempt(tx, attempt.id, {
      ...attempt,
      status: "voided",
      challengeUrl: null,
    });
  });
}
