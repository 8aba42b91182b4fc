import { rolesOf } from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import { personEmail } from "../../domain/people/person.ts";
import { hashToken, makeLinkToken } from "../../secrets/passwords.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { insertInvitationMail, invitationLinkPlace } from "../../storage/mails/invitation-mails.ts";
import { findMerchant, lockMerchant } from "../../storage/merchants/merchants.ts";
import { putInvitation } from "../../storage/people/invitations.ts";
import {
  countPeopleOf,
  findPersonId,
  insertPerson,
  isNobodyActive,
  lockPerson,
} from "../../storage/people/people.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { type LinkRoute, type RouteRequest, requireRoute } from "./link-route.ts";
import {
  isWithin,
  personNotFound,
  requireLanguage,
  requireName,
  requireRoles,
} from "./requirements.ts";

/** The dependencies of invitations, which the command line has too. */
export type InviteDeps = Pick<
  Deps,
  "database" | "ids" | "environment" | "secrets" | "rateCounters" | "offersMail"
> & {
  readonly consoleUrl: string;
};

export interface InvitePerson extends Pick<RouteRequest, "linkBy" | "by"> {
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Null for a person of the operator. */
  readonly merchantId: string | null;
  /** The language of mails to the person. English when undefined. */
  readonly language?: string | undefined;
}

/** An invitation. The database has only a hash of its link, and the link sealed while a mail waits. */
export interface Invited {
  readonly personId: string;
  readonly link: string;
  readonly linkBy: LinkRoute;
  readonly expiresAt: Date;
}

/** An unknown merchant and one of other people have the same answer, which does not say which merchants exist. */
const merchantNotFound = (merchantId: string | null): Refusal =>
  new Refusal("NOT_FOUND", {
    message: `You may not invite people of ${merchantId ?? "the operator"}. Name one of your merchants.`,
  });

/** Invites a person. Refuses INVALID_INPUT, NOT_FOUND, and PERSON_CONFLICT when the address has an account. */
export async function invitePerson(deps: InviteDeps, command: InvitePerson): Promise<Invited> {
  const by = requireOperator(deps, command.by);
  const { merchantId, name } = command;
  if (!isWithin(by, command)) throw merchantNotFound(merchantId);
  const roles = requireRoles(command.roles, command);
  const email = personEmail(command.email);
  if (email === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "The e-mail address must be like ada@example.com, with at most 64 characters.",
      details: [{ field: "email", issue: "is not an e-mail address that an account may have" }],
    });
  }
  if (merchantId !== null && !(await findMerchant(deps.database, merchantId))) {
    throw merchantNotFound(merchantId);
  }
  const language = requireLanguage(command.language ?? "en");
  const person = {
    id: deps.ids.uuid(),
    email,
    name: requireName(name),
    merchantId,
    roles,
    language,
  };
  const linkBy = await requireRoute(deps, { by, linkBy: command.linkBy });
  return deps.database.transaction(async (tx) => {
    if (merchantId !== null) await requireRoom(tx, merchantId);
    if (!(await insertPerson(tx, person))) {
      throw new Refusal("PERSON_CONFLICT", {
        message: `${email} already has an account or an invitation. If it is in your list of people, make a new link there. Otherwise use another address, because an address has one account.`,
      });
    }
    await logControl(tx, {
      operator: by,
      action: "invite_person",
      subject: email,
      details: { linkBy },
      before: null,
      after: { name: person.name, roles, merchantId },
    });
    return putLink(tx, deps, { personId: person.id, invitedBy: by.person, linkBy });
  });
}

/** A list of people is one page. */
const PEOPLE_OF_MERCHANT_MAX = 500;

/** Refuses more people of a merchant than one list can show, the disabled ones included. */
async function requireRoom(tx: Tx, merchantId: string): Promise<void> {
  await lockMerchant(tx, merchantId);
  if ((await countPeopleOf(tx, merchantId)) < PEOPLE_OF_MERCHANT_MAX) return;
  throw new Refusal("INVALID_INPUT", {
    message: `This merchant has ${PEOPLE_OF_MERCHANT_MAX} people, and cannot have more. Enable a person who is disabled.`,
  });
}

/** Makes a new link for a person who has not signed in, or lost every way to. Refuses NOT_FOUND, PERSON_CONFLICT. */
export async function inviteAgain(
  deps: InviteDeps,
  command: RouteRequest & { readonly personId: string },
): Promise<Invited> {
  const by = requireOperator(deps, command.by);
  const linkBy = await requireRoute(deps, { ...command, by });
  return deps.database.transaction(async (tx) => {
    const person = await lockPerson(tx, command.personId);
    if (!person || !isWithin(by, person)) throw personNotFound();
    if (person.state === "disabled") {
      throw new Refusal("PERSON_CONFLICT", {
        message: "This account is disabled. Enable it before you make a link.",
      });
    }
    await logControl(tx, {
      operator: by,
      action: "invite_person",
      subject: person.email,
      details: { again: person.state, linkBy },
      before: null,
      after: null,
    });
    return putLink(tx, deps, { personId: person.id, invitedBy: by.person, linkBy });
  });
}

/** Invites a person, or makes a new link if the address has an account. For the command line. */
export async function inviteByEmail(deps: InviteDeps, command: InvitePerson): Promise<Invited> {
  const email = personEmail(command.email);
  const personId = email && (await findPersonId(deps.database, email));
  return personId ? inviteAgain(deps, { ...command, personId }) : invitePerson(deps, command);
}

/** The service itself, as the log names it. */
const SERVICE: Operator = { person: "system", systemUser: null, sudoUser: null, account: "system" };
const FIRST = { email: "operator@localhost", name: "First operator" } as const;

/**
 * Returns a link for the first operator while nobody has accepted an invitation, with every role of the operator.
 * Undefined afterwards. A later call replaces the link, because only its hash is stored.
 */
export async function inviteFirstOperator(deps: InviteDeps): Promise<string | undefined> {
  return deps.database.transaction(async (tx) => {
    if (!(await isNobodyActive(tx))) return undefined;
    const found = await findPersonId(tx, FIRST.email);
    const personId = found ?? deps.ids.uuid();
    if (found === undefined) {
      const roles = rolesOf("operator");
      await insertPerson(tx, { ...FIRST, id: personId, merchantId: null, roles, language: "en" });
      await logControl(tx, {
        operator: SERVICE,
        action: "invite_person",
        subject: FIRST.email,
        before: null,
        after: { name: FIRST.name, roles, merchantId: null },
      });
    }
    const invited = await putLink(tx, deps, {
      personId,
      invitedBy: SERVICE.person,
      linkBy: "hand",
    });
    return invited.link;
  });
}

async function putLink(
  tx: Tx,
  deps: InviteDeps,
  {
    personId,
    invitedBy,
    linkBy,
  }: { readonly personId: string; readonly invitedBy: string; readonly linkBy: LinkRoute },
): Promise<Invited> {
  const token = makeLinkToken((count) => deps.ids.bytes(count));
  const id = deps.ids.uuid();
  const expiresAt = await putInvitation(tx, {
    id,
    personId,
    tokenHash: hashToken(token),
    invitedBy,
  });
  // The part after # is not sent to any server, so no log holds it.
  const link = `${deps.consoleUrl}/#/invitation/${token}`;
  if (linkBy === "mail") {
    const linkSealed = deps.secrets.seal(link, invitationLinkPlace(id));
    await insertInvitationMail(tx, { id, linkSealed });
  }
  return { personId, link, linkBy, expiresAt };
}
