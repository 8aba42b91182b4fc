import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import type { MailOutcome } from "./mails.ts";

/** The place that the link of an invitation is sealed for. */
export const invitationLinkPlace = (invitationId: string): string =>
  `invitation_mails.link_sealed:${invitationId}`;

/** The mail of an invitation that is about to be sent. */
export interface ClaimedInvitation {
  readonly id: string;
  readonly linkSealed: Uint8Array;
  readonly email: string;
  readonly name: string;
  readonly language: string;
  /** Null for a person of the operator. */
  readonly merchantName: string | null;
  readonly invitedBy: string;
  readonly expiresAt: Date;
  /** The link still works. */
  readonly isOpen: boolean;
}

const INSERT = statement(
  "invitation_mails_insert",
  "insert into invitation_mails (id, link_sealed) values ($1, $2) on conflict (id) do nothing",
);
// The next attempt is later than the longest one. An invitation that is accepted or replaced takes its mail away.
const CLAIM = statement(
  "invitation_mails_claim",
  `update invitation_mails mail set attempts = mail.attempts + 1,
     next_attempt_at = clock_timestamp() + least(3600, 60 * 2 ^ mail.attempts) * interval '1 second'
   from (
     select id from invitation_mails
     where ended_at is null and next_attempt_at <= clock_timestamp()
     order by next_attempt_at limit $1 for update skip locked) due
     join invitations i using (id) join people p on p.id = i.person_id
     left join merchants m on m.id = p.merchant_id
   where mail.id = due.id
   returning mail.id, mail.link_sealed as "linkSealed", p.email, p.name, p.language,
     m.name as "merchantName", i.invited_by as "invitedBy", i.expires_at as "expiresAt",
     i.expires_at > clock_timestamp() and p.state <> 'disabled' and m.disabled_at is null as "isOpen"`,
);
const IS_DUE = statement(
  "invitation_mails_is_due",
  `select exists (select from invitation_mails
     where ended_at is null and next_attempt_at <= clock_timestamp()) as "isDue"`,
);
const RECORD_FAULT = statement(
  "invitation_mails_record_fault",
  "update invitation_mails set last_fault = $2 where id = $1 and ended_at is null",
);
const END = statement(
  "invitation_mails_end",
  `update invitation_mails set outcome = $2, ended_at = clock_timestamp(), link_sealed = null,
     last_fault = coalesce($3, last_fault)
   where id = $1 and ended_at is null`,
);

/** Stores the mail of an invitation. */
export async function insertInvitationMail(
  tx: Tx,
  mail: { readonly id: string; readonly linkSealed: Uint8Array },
): Promise<void> {
  await tx.query(INSERT, [mail.id, mail.linkSealed]);
}

/** Claims at most `limit` mails of invitations that are due. */
export const claimInvitationMails = (tx: Tx, limit: number): Promise<ClaimedInvitation[]> =>
  tx.query<ClaimedInvitation>(CLAIM, [limit]);

/** Returns whether `claimInvitationMails` would find a mail. */
export async function isInvitationMailDue(tx: Tx): Promise<boolean> {
  return (await tx.query<{ readonly isDue: boolean }>(IS_DUE))[0]?.isDue === true;
}

/** Records why an attempt failed. The mail stays due. */
export const recordInvitationFault = (
  queryable: Queryable,
  id: string,
  fault: string,
): Promise<number> => queryable.write(RECORD_FAULT, [id, fault]);

/** Ends the mail of an invitation and removes its link. */
export const endInvitationMail = (
  queryable: Queryable,
  id: string,
  end: { readonly outcome: Exclude<MailOutcome, "given_up">; readonly fault?: string | undefined },
): Promise<number> => queryable.write(END, [id, end.outcome, end.fault ?? null]);
