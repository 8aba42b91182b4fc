import { CHALLENGE_SECONDS, type Person } from "../../domain/people/person.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** A public key of a person's device. */
export interface StoredPasskey {
  readonly id: string;
  readonly personId: string;
  /** In base64url, as the device names it. */
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  /** The number of uses that the device reported last; 0 where it counts none. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isBackedUp: boolean;
  readonly name: string;
}

export interface ListedPasskey extends Pick<StoredPasskey, "id" | "name" | "isBackedUp"> {
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export type ChallengePurpose = "sign_in" | "step_up" | "register";

export interface Challenge {
  readonly id: string;
  readonly challenge: string;
  readonly purpose: ChallengePurpose;
  /** Null for a sign-in. */
  readonly personId: string | null;
}

const COLUMNS = `k.id, k.person_id as "personId", k.credential_id as "credentialId",
  k.public_key as "publicKey", k.counter::float8 as counter, k.transports,
  k.is_backed_up as "isBackedUp", k.name`;

const INSERT = statement(
  "passkeys_insert",
  `insert into passkeys (id, person_id, credential_id, public_key, counter, transports, is_backed_up, name)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning id`,
);
const ACTIVATE = statement(
  "passkeys_activate_person",
  "update people set state = 'active' where id = $1 and state = 'invited'",
);
const FIND = statement(
  "passkeys_find",
  `select ${COLUMNS}, p.email, p.name as person_name, p.merchant_id, p.roles, p.state, p.language
   from passkeys k join people p on p.id = k.person_id
     left join merchants m on m.id = p.merchant_id
   where k.credential_id = $1 and p.state = 'active' and m.disabled_at is null`,
);
const LIST = statement(
  "passkeys_list",
  `select ${COLUMNS}, k.created_at as "createdAt", k.last_used_at as "lastUsedAt"
   from passkeys k where k.person_id = $1 order by k.created_at desc, k.id`,
);
// A device that counts its uses never reports a lower number. A copy of its key would.
const USE = statement(
  "passkeys_use",
  `update passkeys set counter = $2, last_used_at = clock_timestamp()
   where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`,
);
const REMOVE = statement(
  "passkeys_remove",
  "delete from passkeys where id = $1 and person_id = $2 returning name",
);
const ASK = statement(
  "passkey_challenges_insert",
  `insert into passkey_challenges (id, challenge, purpose, person_id, expires_at)
   values ($1, $2, $3, $4, clock_timestamp() + interval '${CHALLENGE_SECONDS} seconds')`,
);
const TAKE = statement(
  "passkey_challenges_take",
  `delete from passkey_challenges where id = $1 and purpose = $2
   returning challenge, person_id as "personId", expires_at > clock_timestamp() as "isOpen"`,
);
const CLEAR = statement(
  "passkey_challenges_clear",
  `delete from passkey_challenges where id in (
     select id from passkey_challenges where expires_at < clock_timestamp()
     order by expires_at limit $1 for update skip locked)`,
);

/** Adds a passkey, and makes an invited person's account active. Returns false when an account has it already. */
export async function insertPasskey(tx: Tx, passkey: StoredPasskey): Promise<boolean> {
  const { id, personId, credentialId, publicKey, counter, transports, isBackedUp, name } = passkey;
  const values = [id, personId, credentialId, publicKey, counter, transports, isBackedUp, name];
  const isNew = (await tx.query(INSERT, values)).length > 0;
  if (isNew) await tx.query(ACTIVATE, [personId]);
  return isNew;
}

interface FoundRow extends StoredPasskey {
  readonly email: string;
  readonly person_name: string;
  readonly merchant_id: string | null;
  readonly roles: string[];
  readonly state: Person["state"];
  readonly language: Person["language"];
}

/** Finds a passkey of an active person. */
export async function findPasskey(
  queryable: Queryable,
  credentialId: string,
): Promise<{ readonly passkey: StoredPasskey; readonly person: Person } | undefined> {
  const [row] = await queryable.query<FoundRow>(FIND, [credentialId]);
  if (row === undefined) return undefined;
  const {
    email,
    person_name: name,
    merchant_id: merchantId,
    roles,
    state,
    language,
    ...passkey
  } = row;
  const person = { id: passkey.personId, email, name, merchantId, roles, state, language };
  return { passkey, person };
}

/** Lists the passkeys of a person, the newest first. */
export const listPasskeys = (
  queryable: Queryable,
  personId: string,
): Promise<(StoredPasskey & ListedPasskey)[]> => queryable.query(LIST, [personId]);

/** Records a use. Returns false when the device reported fewer uses than before. */
export async function markPasskeyUsed(tx: Tx, id: string, counter: number): Promise<boolean> {
  return (await tx.query(USE, [id, counter])).length > 0;
}

/** Removes a passkey of the person and returns its name; undefined when there is no such passkey. */
export async function removePasskey(
  tx: Tx,
  { passkeyId, personId }: { readonly passkeyId: string; readonly personId: string },
): Promise<string | undefined> {
  return (await tx.query<{ name: string }>(REMOVE, [passkeyId, personId]))[0]?.name;
}

export async function insertChallenge(queryable: Queryable, challenge: Challenge): Promise<void> {
  const { id, purpose, personId } = challenge;
  await queryable.query(ASK, [id, challenge.challenge, purpose, personId]);
}

/** Takes a challenge, once. Returns undefined when it was taken before, has ended or has another purpose. */
export async function takeChallenge(
  queryable: Queryable,
  id: string,
  purpose: ChallengePurpose,
): Promise<Pick<Challenge, "challenge" | "personId"> | undefined> {
  const [row] = await queryable.query<
    Pick<Challenge, "challenge" | "personId"> & { readonly isOpen: boolean }
  >(TAKE, [id, purpose]);
  return row?.isOpen ? row : undefined;
}

/** Deletes at most `limit` challenges that have ended and returns their number. */
export const clearEndedChallenges = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);
