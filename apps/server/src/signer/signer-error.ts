/** The signer's files or its command are wrong. The message says what to do. */
export class SignerError extends Error {}

/** Why a request was refused. Programs compare it; the message is for people. */
export type RefusalReason =
  | "release_text"
  | "release_signature"
  | "release_installation"
  | "release_age"
  | "release_mixed"
  | "clock"
  | "unlisted"
  | "network"
  | "address"
  | "destination"
  | "purpose"
  | "memo"
  | "place"
  | "place_taken"
  | "paid_elsewhere"
  | "changed_payment"
  | "replacement"
  | "fee"
  | "terms"
  | "coins"
  | "limit"
  | "approvals"
  | "log";

/** The request is well-formed, and the signer does not sign it. */
export class SignRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
