import { type Person, PROVIDER_SIGN_IN_SECONDS } from "../../domain/people/person.ts";
import type { ProviderIdentity } from "../../domain/ports/identity-provider.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { PERSON_COLUMNS } from "./person-columns.ts";

/** A browser that was sent to the identity provider, and the reason for it. */
export type ProviderSignIn =
  | { readonly purpose: "sign_in" }
  | { readonly purpose: "accept"; readonly invitationHash: Uint8Array }
  | { readonly purpose: "link"; readonly sessionId: string };

/** The account of the provider that a person signs in with. */
export interface LinkedIdentity extends ProviderIdentity {
  readonly linkedAt: Date;
  readonly lastUsedAt: Date | null;
}

const BEGIN = statement(
  "provider_sign_ins_insert",
  `insert into provider_sign_ins (secret_hash, purpose, invitation_hash, session_id, expires_at)
   values ($1, $2, $3, $4, clock_timestamp() + interval '${PROVIDER_SIGN_IN_SECONDS} seconds')`,
);
const TAKE = statement(
  "provider_sign_ins_take",
  `delete from provider_sign_ins where secret_hash = $1
   returning purpose, invitation_hash as "invitationHash", session_id as "sessionId",
     expires_at > clock_timestamp() as "isOpen"`,
);
const CLEAR = statement(
  "provider_sign_ins_clear",
  `delete from provider_sign_ins where secret_hash in (
     select secret_hash from provider_sign_ins where expires_at < clock_timestamp()
     order by expires_at limit $1 for update skip locked)`,
);
const LINK = statement(
  "person_identities_insert",
  `insert into person_identities (person_id, issuer, subject, label) values ($1, $2, $3, $4)
   on conflict (issuer, subject) do nothing returning person_id`,
);
const ACTIVATE = statement(
  "person_identities_activate_person",
  "update people set state = 'active' where id = $1 and state = 'invited'",
);
const FIND = statement(
  "person_identities_find",
  `select issuer, subject, label, linked_at as "linkedAt", last_used_at as "lastUsedAt"
   from person_identities where person_id = $1`,
);
const UNLINK = statement(
  "person_identities_remove",
  "delete from person_identities where person_id = $1 returning issuer, subject, label",
);
// Only an active person whose merchant is not disabled is found.
const USE = statement(
  "person_identities_use",
  `update person_identities i set last_used_at = clock_timestamp()
   from people p left join merchants m on m.id = p.merchant_id
   where i.issuer = $1 and i.subject = $2 and p.id = i.person_id and p.state = 'active'
     and m.disabled_at is null
   returning ${PERSON_COLUMNS}`,
);

/** Stores why a browser is sent to the provider, by the hash of its cookie. */
export async function insertProviderSignIn(
  queryable: Queryable,
  secretHash: Uint8Array,
  begun: ProviderSignIn,
): Promise<void> {
  const invitationHash = begun.purpose === "accept" ? begun.invitationHash : null;
  const sessionId = begun.purpose === "link" ? begun.sessionId : null;
  await queryable.query(BEGIN, [secretHash, begun.purpose, invitationHash, sessionId]);
}

/** Takes a sign-in, once. Returns undefined when it was taken before or has ended. */
export async function takeProviderSignIn(
  queryable: Queryable,
  secretHash: Uint8Array,
): Promise<ProviderSignIn | undefined> {
  const [row] = await queryable.query<ProviderSignIn & { readonly isOpen: boolean }>(TAKE, [
    secretHash,
  ]);
  return row?.isOpen ? row : undefined;
}

/** Deletes at most `limit` sign-ins that have ended and returns their number. */
export const clearEndedProviderSignIns = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);

/**
 * Links an account of the provider in place of the person's earlier one, and makes an invited person's account
 * active. Returns false when another person has it. Lock the person before.
 */
export async function linkIdentity(
  tx: Tx,
  personId: string,
  { issuer, subject, label }: ProviderIdentity,
): Promise<boolean> {
  await tx.query(UNLINK, [personId]);
  const isNew = (await tx.query(LINK, [personId, issuer, subject, label])).length > 0;
  if (isNew) await tx.query(ACTIVATE, [personId]);
  return isNew;
}

export async function findIdentity(
  queryable: Queryable,
  personId: string,
): Promise<LinkedIdentity | undefined> {
  return (await queryable.query<LinkedIdentity>(FIND, [personId]))[0];
}

/** Removes the person's link and returns it; undefined when there is none. */
export async function unlinkIdentity(
  tx: Tx,
  personId: string,
): Promise<ProviderIdentity | undefined> {
  return (await tx.query<ProviderIdentity>(UNLINK, [personId]))[0];
}

/** Records a sign-in and returns its person, who is active; undefined when the account is not linked. */
export async function markIdentityUsed(
  tx: Tx,
  { issuer, subject }: ProviderIdentity,
): Promise<Person | undefined> {
  return (await tx.query<Person>(USE, [issuer, subject]))[0];
}
