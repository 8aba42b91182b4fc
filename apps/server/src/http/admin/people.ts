import type { Outgoing } from "@exchange/contract";
import {
  ADMIN_ENDPOINTS,
  isRoleName,
  type Me,
  type PersonData,
  permissionsOf,
  type RoleName,
} from "@exchange/contract/admin";
import { steppedUpUntil } from "../../domain/people/person.ts";
import {
  addPasskey,
  askForAnotherPasskey,
  changeOwnPassword,
  endOwnSession,
  listOwnPasskeys,
  listOwnSessions,
  removeOwnPasskey,
} from "../../flows/people/account.ts";
import { inviteAgain, invitePerson } from "../../flows/people/invite.ts";
import {
  changePerson,
  endSessionsOf,
  listPeopleFor,
  readPerson,
} from "../../flows/people/manage.ts";
import type { SignedIn } from "../../flows/people/open-session.ts";
import { created, list, ok, toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

const rolesFrom = (roles: readonly string[]): RoleName[] => roles.filter(isRoleName);

/** Returns the account of a person in a session. */
export function presentMe(
  { environment, offersMail = false }: Pick<AdminDeps, "environment" | "offersMail">,
  { person, session }: SignedIn,
): Outgoing<Me> {
  const roles = rolesFrom(person.roles);
  return {
    personId: person.id,
    email: person.email,
    name: person.name,
    merchantId: person.merchantId,
    merchantName: person.merchantName,
    roles,
    permissions: [...permissionsOf(roles)],
    environment,
    sessionId: session.id,
    signedInWith: session.signedInWith,
    steppedUpUntil: toUnixSeconds(steppedUpUntil(session)),
    sessionEndsAt: toUnixSeconds(session.endsAt),
    hasPasskey: person.hasPasskey,
    hasPassword: person.hasPassword,
    offersMail,
  };
}

const presentPerson = (person: Awaited<ReturnType<typeof readPerson>>): Outgoing<PersonData> => ({
  personId: person.id,
  email: person.email,
  name: person.name,
  merchantId: person.merchantId,
  merchantName: person.merchantName,
  roles: rolesFrom(person.roles),
  state: person.state,
  passkeys: person.passkeys,
  hasPassword: person.hasPassword,
  hasIdentity: person.hasIdentity,
  sessions: person.sessions,
  lastSeenAt: unixSecondsOrNull(person.lastSeenAt),
  invitedUntil: unixSecondsOrNull(person.invitedUntil),
  invitationMail: person.invitationMail,
  language: person.language,
  createdAt: toUnixSeconds(person.createdAt),
});

/** Sessions and passkeys of the person who calls. */
export function registerOwnAccount(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.listOwnSessions, async ({ caller }) => {
    const sessions = await listOwnSessions(deps, caller);
    return ok(
      sessions.map((one) => ({
        sessionId: one.id,
        isThis: one.id === caller.session.id,
        signedInWith: one.signedInWith,
        address: one.address,
        browser: one.browser,
        createdAt: toUnixSeconds(one.createdAt),
        lastSeenAt: toUnixSeconds(one.lastSeenAt),
        endsAt: toUnixSeconds(one.endsAt),
      })),
    );
  });
  register(ADMIN_ENDPOINTS.endOwnSession, async ({ caller, params, setSession }) => {
    await endOwnSession(deps, caller, params.sessionId);
    if (params.sessionId === caller.session.id) setSession(null);
    return null;
  });
  const presentPasskey = (one: Awaited<ReturnType<typeof addPasskey>>) => ({
    passkeyId: one.id,
    name: one.name,
    isBackedUp: one.isBackedUp,
    createdAt: toUnixSeconds(one.createdAt),
    lastUsedAt: unixSecondsOrNull(one.lastUsedAt),
  });
  register(ADMIN_ENDPOINTS.listOwnPasskeys, async ({ caller }) =>
    ok((await listOwnPasskeys(deps, caller)).map(presentPasskey)),
  );
  register(ADMIN_ENDPOINTS.askNewPasskey, async ({ caller }) =>
    ok(await askForAnotherPasskey(deps, caller)),
  );
  register(ADMIN_ENDPOINTS.addPasskey, async ({ caller, body }) =>
    ok(presentPasskey(await addPasskey(deps, caller, body))),
  );
  register(ADMIN_ENDPOINTS.removePasskey, async ({ caller, params }) => {
    await removeOwnPasskey(deps, caller, params.passkeyId);
    return null;
  });
  register(ADMIN_ENDPOINTS.changeOwnPassword, async ({ caller, body }) => {
    await changeOwnPassword(deps, caller, body);
    return null;
  });
}

/** The people with accounts. A merchant's people reach those of their merchant alone. */
export function registerPeople(register: RegisterAdmin, deps: AdminDeps): void {
  const read = async (personId: string, { by }: Pick<Parameters<typeof readPerson>[1], "by">) =>
    presentPerson(await readPerson(deps, { personId, by }));
  register(ADMIN_ENDPOINTS.listPeople, async ({ caller }) =>
    list((await listPeopleFor(deps, caller.by)).map(presentPerson), undefined),
  );
  register(ADMIN_ENDPOINTS.invitePerson, async ({ caller, body }) => {
    const { by } = caller;
    const merchantId = caller.merchantId ?? body.merchantId ?? null;
    // A merchant's person who names another merchant is refused, not corrected.
    const named = body.merchantId ?? merchantId;
    const invited = await invitePerson(deps, { ...body, merchantId: named, by });
    return created(await presentInvited(invited, read, caller), "The person is invited.");
  });
  register(ADMIN_ENDPOINTS.changePerson, async ({ caller, params, body }) => {
    await changePerson(deps, { ...body, ...params, by: caller.by });
    return ok(await read(params.personId, caller));
  });
  register(ADMIN_ENDPOINTS.inviteAgain, async ({ caller, params, body }) => {
    const invited = await inviteAgain(deps, { ...body, ...params, by: caller.by });
    return created(await presentInvited(invited, read, caller), "The new link is made.");
  });
  register(ADMIN_ENDPOINTS.endSessionsOfPerson, async ({ caller, params }) => {
    await endSessionsOf(deps, { ...params, by: caller.by });
    return ok(await read(params.personId, caller));
  });
}

type ReadPerson = (
  personId: string,
  caller: Pick<Parameters<typeof readPerson>[1], "by">,
) => Promise<Outgoing<PersonData>>;

const presentInvited = async (
  { personId, link, linkBy, expiresAt }: Awaited<ReturnType<typeof invitePerson>>,
  read: ReadPerson,
  caller: Parameters<ReadPerson>[1],
) => ({
  person: await read(personId, caller),
  link: linkBy === "mail" ? null : link,
  expiresAt: toUnixSeconds(expiresAt),
});
