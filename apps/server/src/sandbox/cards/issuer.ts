import type { Queryable } from "../../storage/postgres/database.ts";
import { SEND_NONE, type SendCallback } from "../callbacks/callbacks.ts";
import {
  decidePayment,
  endChallenge,
  findChallenge,
  findPayment,
  type StoredPayment,
} from "./store.ts";
import { challengeResult } from "./three-d-secure.ts";

/** A 3-D Secure challenge of the sandbox's bank. */
export interface SandboxChallenge {
  readonly id: string;
  readonly brand: string;
  readonly lastFour: string;
  readonly currencyCode: string;
  /** Major units in fixed notation. */
  readonly amount: string;
  readonly open: boolean;
}

export interface SandboxIssuer {
  challenge(id: string): Promise<SandboxChallenge | undefined>;
  /** Ends the challenge. The card decides whether a confirmed challenge succeeds. */
  answer(id: string, answer: "confirm" | "cancel"): Promise<void>;
}

/** A challenge without an answer fails after this time, as with a real bank. */
const CHALLENGE_SECONDS = 10 * 60;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The bank of the test cards that challenge their holder. Its processor reports each answered challenge. */
export function sandboxIssuer(
  database: Queryable,
  sendCallback: SendCallback = SEND_NONE,
): SandboxIssuer {
  const find = async (id: string): Promise<StoredPayment | undefined> =>
    UUID.test(id) ? findChallenge(database, id) : undefined;
  return {
    challenge: async (id) => {
      const payment = await find(id);
      if (!payment) return undefined;
      return {
        id,
        brand: payment.brand,
        lastFour: payment.lastFour,
        currencyCode: payment.currency,
        amount: payment.amount,
        open: payment.status === "challenge",
      };
    },
    answer: async (id, answer) => {
      const payment = await find(id);
      if (!payment) return;
      const succeeds = answer === "confirm" && payment.outcome === "challenge_succeeds";
      await end(database, payment, succeeds ? "Y" : "N");
      sendCallback({ kind: "payment", reference: payment.reference });
    },
  };
}

/** Returns the payment after an unanswered challenge that is due has failed. */
export async function expireChallenge(
  database: Queryable,
  payment: StoredPayment,
): Promise<StoredPayment> {
  const isLate = payment.status === "challenge" && payment.ageSeconds > CHALLENGE_SECONDS;
  if (!isLate) return payment;
  await end(database, payment, "N");
  return (await findPayment(database, payment.reference)) ?? payment;
}

/** Decides an open payment, whatever its card. Returns false when it is decided already. */
export async function endPayment(
  database: Queryable,
  reference: string,
  result: "authorized" | "declined" | "authentication_failed",
): Promise<boolean> {
  const payment = await findPayment(database, reference);
  if (payment?.status !== "challenge" && payment?.status !== "processing") return false;
  if (payment.status === "challenge" && result !== "declined") {
    await end(database, payment, result === "authorized" ? "Y" : "N");
  } else {
    const declineReason = result === "declined" ? "do_not_honor" : null;
    await decidePayment(database, reference, { status: result, declineReason });
  }
  return true;
}

const end = (database: Queryable, payment: StoredPayment, transStatus: "Y" | "N"): Promise<void> =>
  endChallenge(database, payment.reference, {
    status: transStatus === "Y" ? "authorized" : "authentication_failed",
    threeDSecure: challengeResult(transStatus, payment),
  });
