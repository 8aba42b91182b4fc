import type { Mailer } from "../domain/ports/mailer.ts";
import type { Deps } from "../flows/deps.ts";
import {
  type ClaimedInvitation,
  endInvitationMail,
  invitationLinkPlace,
  recordInvitationFault,
} from "../storage/mails/invitation-mails.ts";
import { composeInvitation } from "./compose-invitation.ts";

interface Sending {
  readonly mailer: Mailer;
  readonly invitation: ClaimedInvitation;
  readonly signal: AbortSignal;
}

/** Sends the mail of an invitation while its link works. Returns whether the server took it. */
export async function sendInvitation(
  { database, secrets, log }: Pick<Deps, "database" | "secrets" | "log">,
  { mailer, invitation, signal }: Sending,
): Promise<boolean> {
  const { id, email } = invitation;
  if (!invitation.isOpen) {
    await endInvitationMail(database, id, { outcome: "dropped" });
    return false;
  }
  const link = secrets.open(invitation.linkSealed, invitationLinkPlace(id));
  const content = composeInvitation(invitation, link);
  const mail = { ...content, to: [email], id: `invitation.${id}` };
  const fault = await mailer.send(mail, signal);
  if (fault === undefined) {
    await endInvitationMail(database, id, { outcome: "sent" });
    return true;
  }
  // The line has neither the address nor the link.
  log.warn({ fault, invitationId: id }, "the mail server did not accept an invitation");
  if (fault === "refused") await endInvitationMail(database, id, { outcome: "refused", fault });
  else await recordInvitationFault(database, id, fault);
  return false;
}
