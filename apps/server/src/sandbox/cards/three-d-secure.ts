import { createHash } from "node:crypto";
import type { ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import type { CardBrand, CardOutcome } from "./test-cards.ts";

type TransStatus = ThreeDSecureResult["transStatus"];

const STATUS_OF: Record<CardOutcome, TransStatus> = {
  approved: "Y",
  attempted: "A",
  authentication_failed: "N",
  authentication_unavailable: "U",
  challenge_succeeds: "C",
  challenge_fails: "C",
  declined: "Y",
  insufficient_funds: "Y",
  processor_timeout: "Y",
  late_answer: "Y",
  answer_twice: "Y",
  answers_out_of_order: "Y",
  no_answer: "Y",
  authorized_less: "Y",
  captured_less: "Y",
  refund_rejected: "Y",
  push_rejected: "Y",
};

/** The ECI of an authenticated, an attempted and any other result, by card network. */
const ECI_OF: Record<CardBrand, Record<"Y" | "A" | "other", string>> = {
  Visa: { Y: "05", A: "06", other: "07" },
  Mastercard: { Y: "02", A: "01", other: "00" },
  "American Express": { Y: "05", A: "06", other: "07" },
};

/** Returns the first report of the directory server: the end of a frictionless flow, or a challenge. */
export function firstResult(
  outcome: CardOutcome,
  context: { readonly brand: CardBrand; readonly reference: string },
): ThreeDSecureResult {
  const transStatus = STATUS_OF[outcome];
  const flow = transStatus === "C" ? "challenge" : "frictionless";
  return { ...valuesOf(transStatus, context), flow };
}

/** Returns the report after the cardholder answered the bank. */
export function challengeResult(
  succeeded: "Y" | "N",
  context: { readonly brand: CardBrand; readonly reference: string },
): ThreeDSecureResult {
  return { ...valuesOf(succeeded, context), flow: "challenge" };
}

/** Y and A carry an authentication value of 20 bytes. One reference always has the same ids. */
function valuesOf(
  transStatus: TransStatus,
  context: { readonly brand: CardBrand; readonly reference: string },
): Omit<ThreeDSecureResult, "flow"> {
  const isProven = transStatus === "Y" || transStatus === "A";
  const value = digest("authenticationValue", context.reference).subarray(0, 20);
  return {
    version: "2.2.0",
    transStatus,
    eci: transStatus === "C" ? null : ECI_OF[context.brand][isProven ? transStatus : "other"],
    authenticationValue: isProven ? value.toString("base64") : null,
    dsTransId: uuidOf("dsTransId", context.reference),
    threeDSServerTransId: uuidOf("threeDSServerTransId", context.reference),
    acsTransId: uuidOf("acsTransId", context.reference),
  };
}

const digest = (name: string, reference: string): Buffer =>
  createHash("sha256").update(`${name}:${reference}`).digest();

function uuidOf(name: string, reference: string): string {
  const bytes = digest(name, reference).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
