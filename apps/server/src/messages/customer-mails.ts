import type { Mailer } from "../domain/ports/mailer.ts";
import { openMailAddress } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";
import { findMerchant } from "../flows/merchants/find.ts";
import { customerUrlOf } from "../flows/orders/customer-url.ts";
import { repeat } from "../flows/repeat.ts";
import {
  type ClaimedMail,
  claimMails,
  endMail,
  type MailKey,
  recordMailFault,
} from "../storage/mails/mails.ts";
import { findOrderView } from "../storage/orders/views.ts";
import { composeMail } from "./compose-mail.ts";

/** The attempts are an hour apart at most, so a mail is given up after three days. */
const ATTEMPTS_MAX = 78;

const LOOK_MS = 5_000;

export type MailDeps = Pick<
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

/** Sends mails to customers. Returns the function that ends it. */
export const startCustomerMails = (deps: MailDeps, mailer: Mailer): (() => Promise<void>) =>
  repeat({
    everyMs: LOOK_MS,
    round: (signal) => sendMails(deps, mailer, signal),
    failed: (err) => deps.log.warn({ err }, "mails to customers cannot be sent, retrying"),
  });

/**
 * Sends the mails that are due. A mail is claimed and committed, sent, and then recorded, so one that is cut off is sent
 * again with the same id.
 */
export async function sendMails(
  deps: MailDeps,
  mailer: Mailer,
  signal: AbortSignal,
): Promise<void> {
  const claimed = await claimMails(deps.database);
  await Promise.all(claimed.map((mail) => sendMail(deps, { mailer, mail, signal })));
}

interface Sending {
  readonly mailer: Mailer;
  readonly mail: ClaimedMail;
  readonly signal: AbortSignal;
}

async function sendMail(deps: MailDeps, { mailer, mail, signal }: Sending): Promise<void> {
  const { database, log } = deps;
  const view = await findOrderView(database, mail);
  const merchant = await findMerchant(deps, mail.merchantId);
  const url = view && customerUrlOf(view, deps);
  const address = view && openMailAddress(deps, view.order, mail);
  const isDue = mail.kind === "link" || view?.order.status === "completed";
  // The page was revoked, the customer was erased, the merchant is disabled, or the order did not complete.
  if (!isDue || !url || address === undefined || !merchant) {
    await endMail(database, mail, { outcome: "dropped" });
    return;
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
    return;
  }
  // The line has neither the address nor the link.
  const words = { fault, orderId: String(mail.orderId), kind: mail.kind, attempts: mail.attempts };
  log.warn(words, "a mail to a customer was not taken");
  if (fault === "refused") await endMail(database, mail, { outcome: "refused", fault });
  else if (mail.attempts >= ATTEMPTS_MAX)
    await endMail(database, mail, { outcome: "given_up", fault });
  else await recordMailFault(database, mail, fault);
}

/** A repetition has the same id, by which mail programs may recognize it. */
const mailIdOf = ({ orderId, kind, addressDigest }: MailKey): string =>
  `${kind}.${orderId}.${Buffer.from(addressDigest).toString("hex").slice(0, 24)}`;
