import type { Mailer } from "../domain/ports/mailer.ts";
import { unsealMailAddress } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";
import { findMerchant } from "../flows/merchants/find.ts";
import { customerUrlOf } from "../flows/orders/customer-url.ts";
import {
  type ClaimedMail,
  endMail,
  type MailKey,
  putReceiptAside,
  recordMailFault,
} from "../storage/mails/mails.ts";
import { findOrderView } from "../storage/orders/views.ts";
import { composeMail } from "./compose-mail.ts";

/** The attempts are an hour apart at most, so a mail is given up after three days. */
const MAIL_ATTEMPTS_MAX = 78;

export type CustomerMailDeps = Pick<
  Deps,
  | "database"
  | "catalogue"
  | "directory"
  | "lookUp"
  | "dataKeys"
  | "orderPages"
  | "publicUrl"
  | "log"
>;

interface Sending {
  readonly mailer: Mailer;
  readonly mail: ClaimedMail;
  readonly signal: AbortSignal;
}

/**
 * Sends a mail, or drops it where there is nothing to send. The receipt of a cancelled or expired order is put aside,
 * because late money may still complete the order. Returns whether the server took the mail.
 */
export async function sendCustomerMail(
  deps: CustomerMailDeps,
  { mailer, mail, signal }: Sending,
): Promise<boolean> {
  const { database, log } = deps;
  const view = await findOrderView(database, mail);
  const merchant = await findMerchant(deps, mail.merchantId);
  const url = view && customerUrlOf(view, deps);
  const address = view && unsealMailAddress(deps, view.order, mail);
  const status = view?.order.status;
  const isReceipt = mail.kind === "receipt";
  const isOver = isReceipt && (status === "failed" || status === "refunded");
  // The order ended without a receipt, the page was revoked, the customer was erased, or the merchant is disabled.
  if (isOver || !url || address === undefined || !merchant) {
    await endMail(database, mail, { outcome: "dropped" });
    return false;
  }
  // An order that moved since the claim is not put aside, and its receipt is due again in a minute.
  if (isReceipt && status !== "completed") {
    await putReceiptAside(database, mail);
    return false;
  }
  const content = composeMail(mail, {
    view,
    url,
    shop: merchant.name,
    catalogue: deps.catalogue(),
  });
  const fault = await mailer.send({ ...content, to: [address], id: mailIdOf(mail) }, signal);
  if (fault === undefined) {
    await endMail(database, mail, { outcome: "sent" });
    return true;
  }
  // The line has neither the address nor the link.
  const words = { fault, orderId: String(mail.orderId), kind: mail.kind, attempts: mail.attempts };
  log.warn(words, "a mail to a customer was not taken");
  if (fault === "refused") await endMail(database, mail, { outcome: "refused", fault });
  else if (mail.attempts >= MAIL_ATTEMPTS_MAX)
    await endMail(database, mail, { outcome: "given_up", fault });
  else await recordMailFault(database, mail, fault);
  return false;
}

/** A repetition has the same id, by which mail programs may recognize it. */
const mailIdOf = ({ orderId, kind, addressDigest }: MailKey): string =>
  `${kind}.${orderId}.${Buffer.from(addressDigest).toString("hex").slice(0, 24)}`;
