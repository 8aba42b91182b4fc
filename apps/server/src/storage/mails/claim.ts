import { countOfWindow, giveBackCount, makeRateCounters } from "../limits/rate-windows.ts";
import { ADVISORY_LOCKS } from "../postgres/advisory-locks.ts";
import { type Database, type Queryable, statement } from "../postgres/database.ts";
import {
  type ClaimedInvitation,
  claimInvitationMails,
  isInvitationMailDue,
} from "./invitation-mails.ts";
import { type ClaimedMail, claimCustomerMails, isCustomerMailDue } from "./mails.ts";

/** Mails that one round sends. */
export interface ClaimedMails {
  readonly invitations: readonly ClaimedInvitation[];
  readonly customers: readonly ClaimedMail[];
  /** Mails are due that the limit of this hour holds back. */
  readonly isHeldBack: boolean;
}

const AT_ONCE = 10;
const HOUR_MS = 3_600_000;
const WINDOW = { limit: "mails_of_service", key: "all" } as const;

// Two workers that read the same count would send more than the limit together.
const LOCK = statement("mails_lock", `select pg_advisory_xact_lock(${ADVISORY_LOCKS.mails})`);

/**
 * Claims mails that are due, as many as the limit of the hour leaves. They count until `giveBackMails`. Invitations come
 * first, so that mails to customers cannot crowd them out.
 */
export function claimMails(database: Database, perHour: number): Promise<ClaimedMails> {
  return database.transaction(async (tx) => {
    await tx.query(LOCK);
    const left = Math.min(AT_ONCE, Math.max(0, perHour - (await countOfWindow(tx, WINDOW))));
    if (left === 0) {
      const isHeldBack = (await isInvitationMailDue(tx)) || (await isCustomerMailDue(tx));
      return { invitations: [], customers: [], isHeldBack };
    }
    const invitations = await claimInvitationMails(tx, left);
    const customers = await claimCustomerMails(tx, left - invitations.length);
    const amount = invitations.length + customers.length;
    if (amount > 0) await makeRateCounters(tx).add([{ ...WINDOW, amount, windowMs: HOUR_MS }]);
    return { invitations, customers, isHeldBack: false };
  });
}

/** Subtracts from the hour's count the mails that no server accepted. */
export async function giveBackMails(queryable: Queryable, amount: number): Promise<void> {
  if (amount > 0) await giveBackCount(queryable, { ...WINDOW, amount });
}
