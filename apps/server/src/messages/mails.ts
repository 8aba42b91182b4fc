import type { Mailer } from "../domain/ports/mailer.ts";
import type { Deps } from "../flows/deps.ts";
import { repeat } from "../flows/repeat.ts";
import { claimMails, giveBackMails } from "../storage/mails/claim.ts";
import { type CustomerMailDeps, sendCustomerMail } from "./customer-mails.ts";
import { sendInvitation } from "./invitation-mails.ts";

export type MailDeps = CustomerMailDeps & Pick<Deps, "secrets" | "metrics">;

/** The mail server, and how many mails it may get from all workers together in an hour. */
export interface MailRoute {
  readonly mailer: Mailer;
  readonly perHour: number;
}

const LOOK_MS = 5_000;

/** Sends mails to customers and invitations. Returns the function that ends it. */
export const startMails = (deps: MailDeps, route: MailRoute): (() => Promise<void>) =>
  repeat({
    everyMs: LOOK_MS,
    round: makeMailRound(deps, route),
    failed: (err) => deps.log.warn({ err }, "mails cannot be sent, retrying"),
  });

/**
 * Makes the function that sends the mails that are due. A mail is claimed and committed, sent, and then recorded, so one
 * that is cut off is sent again with the same id. Mails beyond the limit of the hour stay due.
 */
export function makeMailRound(
  deps: MailDeps,
  { mailer, perHour }: MailRoute,
): (signal: AbortSignal) => Promise<void> {
  let wasHeldBack = false;
  return async (signal) => {
    const { invitations, customers, isHeldBack } = await claimMails(deps.database, perHour);
    deps.metrics.mailsHeldBack.set(isHeldBack ? 1 : 0);
    if (isHeldBack && !wasHeldBack) {
      deps.log.warn(
        { perHour },
        "the mails of this hour reached EXCHANGE_MAILS_PER_HOUR, the others wait for the next hour",
      );
    }
    wasHeldBack = isHeldBack;
    const sent = await Promise.all([
      ...invitations.map((invitation) => sendInvitation(deps, { mailer, invitation, signal })),
      ...customers.map((mail) => sendCustomerMail(deps, { mailer, mail, signal })),
    ]);
    await giveBackMails(deps.database, sent.filter((isSent) => !isSent).length);
  };
}
