import type { Person } from "../../domain/people/person.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { PERSON_COLUMNS } from "./person-columns.ts";
import { IS_OPEN } from "./sessions.ts";

/** A person with what their list shows of their ways to sign in. */
export interface ListedPerson extends Person {
  readonly merchantName: string | null;
  readonly passkeys: number;
  readonly hasPassword: boolean;
  /** An account of the identity provider is linked. */
  readonly hasIdentity: boolean;
  readonly sessions: number;
  readonly lastSeenAt: Date | null;
  readonly invitedUntil: Date | null;
  /** The mail with the link of an open invitation; null when the link was handed over. A dropped one counts as refused. */
  readonly invitationMail: "waiting" | "sent" | "refused" | null;
  readonly createdAt: Date;
}

/** The secrets of a person who signs in with a password. */
export interface PasswordLogin extends Person {
  readonly passwordHash: string;
  readonly totpSealed: Uint8Array;
  readonly totpUsedStep: bigint;
}

const LISTED = `${PERSON_COLUMNS}, m.name as "merchantName",
  (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys,
  p.password_hash is not null as "hasPassword",
  exists (select from person_identities i where i.person_id = p.id) as "hasIdentity", s.sessions, s.last_seen_at as "lastSeenAt",
  (select i.expires_at from invitations i where i.person_id = p.id and i.expires_at > clock_timestamp())
    as "invitedUntil",
  (select case mail.outcome when 'dropped' then 'refused' else coalesce(mail.outcome, 'waiting') end from invitations i join invitation_mails mail using (id)
    where i.person_id = p.id and i.expires_at > clock_timestamp()) as "invitationMail",
  p.created_at as "createdAt"
  from people p left join merchants m on m.id = p.merchant_id,
    lateral (select count(*)::int as sessions, max(last_seen_at) as last_seen_at
      from person_sessions s where s.person_id = p.id and ${IS_OPEN}) s`;

const INSERT = statement(
  "people_insert",
  `insert into people (id, email, name, merchant_id, roles, language) values ($1, $2, $3, $4, $5, $6)
   on conflict (email) do nothing returning id`,
);
const LIST = {
  all: statement("people_list", `select ${LISTED} order by p.created_at, p.id`),
  ofMerchant: statement(
    "people_list_merchant",
    `select ${LISTED} where p.merchant_id = $1 order by p.created_at, p.id`,
  ),
} as const;
const FIND = statement("people_find", `select ${LISTED} where p.id = $1`);
const LOCK = statement(
  "people_lock",
  `select ${PERSON_COLUMNS} from people p where p.id = $1 for update`,
);
// In the order of their ids, so that two administrators who remove each other wait and do not deadlock.
const LOCK_ADMINISTRATORS = statement(
  "people_lock_administrators",
  `select id from people
   where merchant_id is null and state = 'active' and 'administrator' = any(roles) order by id for update`,
);
// A lock for the first operator: two starts at once make one account.
const LOCK_FIRST = statement(
  "people_lock_first",
  "select pg_advisory_xact_lock(hashtextextended('exchange: first person', 0))",
);
const HAS_ACTIVE = statement(
  "people_has_active",
  "select exists (select from people where state <> 'invited') as any",
);
const FIND_BY_EMAIL = statement("people_find_by_email", "select id from people where email = $1");
const UPDATE = statement(
  "people_update",
  "update people set name = $2, roles = $3, state = $4, language = $5 where id = $1",
);
const FIND_LOGIN = statement(
  "people_find_login",
  `select ${PERSON_COLUMNS}, p.password_hash as "passwordHash", p.totp_sealed as "totpSealed",
     p.totp_used_step as "totpUsedStep"
   from people p left join merchants m on m.id = p.merchant_id
   where p.email = $1 and p.state = 'active' and p.password_hash is not null and m.disabled_at is null`,
);
const SET_PASSWORD = statement(
  "people_set_password",
  `update people set password_hash = $2, totp_sealed = $3, totp_used_step = $4, state = 'active'
   where id = $1`,
);
const CHANGE_PASSWORD = statement(
  "people_change_password",
  "update people set password_hash = $3 where id = $1 and password_hash = $2 returning id",
);
// A password that was replaced after it was checked does not count.
const USE_STEP = statement(
  "people_use_step",
  `update people set totp_used_step = $2
   where id = $1 and totp_used_step < $2 and password_hash = $3 returning id`,
);
const USE_RECOVERY = statement(
  "people_use_recovery_code",
  `with person as (select id from people where id = $1 and password_hash = $3 for update)
   delete from recovery_codes code using person
   where code.person_id = person.id and code.code_hash = $2 returning code.person_id`,
);
const ADD_RECOVERY = statement(
  "people_add_recovery_codes",
  "insert into recovery_codes (person_id, code_hash) select $1, unnest($2::bytea[])",
);
const REMOVE_WAYS = [
  statement("people_remove_passkeys", "delete from passkeys where person_id = $1"),
  statement("people_remove_identity", "delete from person_identities where person_id = $1"),
  statement("people_remove_recovery_codes", "delete from recovery_codes where person_id = $1"),
  statement("people_remove_sessions", "delete from person_sessions where person_id = $1"),
  statement(
    "people_remove_password",
    "update people set password_hash = null, totp_sealed = null where id = $1",
  ),
] as const;

export type NewPerson = Omit<Person, "state">;

/** Adds an invited person. Returns false when the e-mail address has an account. */
export async function insertPerson(tx: Tx, person: NewPerson): Promise<boolean> {
  const { id, email, name, merchantId, roles, language } = person;
  return (await tx.query(INSERT, [id, email, name, merchantId, roles, language])).length > 0;
}

/** Lists people, the oldest account first: everybody, or a merchant's. */
export const listPeople = (
  queryable: Queryable,
  merchantId: string | null,
): Promise<ListedPerson[]> =>
  merchantId === null
    ? queryable.query<ListedPerson>(LIST.all)
    : queryable.query<ListedPerson>(LIST.ofMerchant, [merchantId]);

export async function findPerson(
  queryable: Queryable,
  id: string,
): Promise<ListedPerson | undefined> {
  return (await queryable.query<ListedPerson>(FIND, [id]))[0];
}

/** Reads a person and locks the row until the database transaction ends. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  return (await tx.query<Person>(LOCK, [id]))[0];
}

/** Returns the ids of the operator's active administrators, and locks them. Call it before `lockPerson`. */
export async function lockAdministrators(tx: Tx): Promise<readonly string[]> {
  return (await tx.query<{ id: string }>(LOCK_ADMINISTRATORS)).map(({ id }) => id);
}

/** Returns whether nobody accepted an invitation yet. Other callers wait until the database transaction ends. */
export async function isNobodyActive(tx: Tx): Promise<boolean> {
  await tx.query(LOCK_FIRST);
  return (await tx.query<{ any: boolean }>(HAS_ACTIVE))[0]?.any !== true;
}

/** Returns the id of the person with this address, as `personEmail` writes it. */
export async function findPersonId(
  queryable: Queryable,
  email: string,
): Promise<string | undefined> {
  return (await queryable.query<{ id: string }>(FIND_BY_EMAIL, [email]))[0]?.id;
}

export async function updatePerson(
  tx: Tx,
  id: string,
  { name, roles, state, language }: Pick<Person, "name" | "roles" | "state" | "language">,
): Promise<void> {
  await tx.query(UPDATE, [id, name, roles, state, language]);
}

/** Finds the active person who signs in with this address and a password. */
export async function findPasswordLogin(
  queryable: Queryable,
  email: string,
): Promise<PasswordLogin | undefined> {
  const [row] = await queryable.query<
    Omit<PasswordLogin, "totpUsedStep"> & { totpUsedStep: string }
  >(FIND_LOGIN, [email]);
  return row && { ...row, totpUsedStep: BigInt(row.totpUsedStep) };
}

/** Stores a password with its authenticator, and makes the account active. */
export async function setPassword(
  tx: Tx,
  personId: string,
  login: Pick<PasswordLogin, "passwordHash" | "totpSealed" | "totpUsedStep">,
): Promise<void> {
  const { passwordHash, totpSealed, totpUsedStep } = login;
  await tx.query(SET_PASSWORD, [personId, passwordHash, totpSealed, totpUsedStep]);
}

/** Replaces a password. Its authenticator stays. Returns false when the password is not the one of `before`. */
export async function changePassword(
  tx: Tx,
  change: { readonly personId: string; readonly before: string; readonly after: string },
): Promise<boolean> {
  const { personId, before, after } = change;
  return (await tx.query(CHANGE_PASSWORD, [personId, before, after])).length > 0;
}

/**
 * Marks a step of the authenticator as used. Returns false when it, or a later one, was used before, or the password
 * was replaced.
 */
export async function markStepUsed(
  tx: Tx,
  { id, passwordHash }: Pick<PasswordLogin, "id" | "passwordHash">,
  step: bigint,
): Promise<boolean> {
  return (await tx.query(USE_STEP, [id, step, passwordHash])).length > 0;
}

/** Uses a recovery code up. Returns false when the person has no such code, or the password was replaced. */
export async function spendRecoveryCode(
  tx: Tx,
  { id, passwordHash }: Pick<PasswordLogin, "id" | "passwordHash">,
  codeHash: Uint8Array,
): Promise<boolean> {
  return (await tx.query(USE_RECOVERY, [id, codeHash, passwordHash])).length > 0;
}

export async function addRecoveryCodes(
  tx: Tx,
  personId: string,
  codeHashes: readonly Uint8Array[],
): Promise<void> {
  await tx.query(ADD_RECOVERY, [personId, codeHashes]);
}

/** Removes every way to sign in and every session. An invitation that is accepted sets the first new way. */
export async function removeWaysToSignIn(tx: Tx, personId: string): Promise<void> {
  for (const sql of REMOVE_WAYS) await tx.query(sql, [personId]);
}

const COUNT_OF_MERCHANT = statement(
  "people_count_merchant",
  "select count(*)::int as count from people where merchant_id = $1",
);

/** Returns how many people a merchant has, the invited and the disabled ones included. */
export async function countPeopleOf(queryable: Queryable, merchantId: string): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(COUNT_OF_MERCHANT, [merchantId]);
  return row?.count ?? 0;
}
