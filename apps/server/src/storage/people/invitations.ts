import { INVITATION_SECONDS, type Person } from "../../domain/people/person.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { PERSON_COLUMNS } from "./person-columns.ts";

/** An invitation that has not ended, with its person. */
export interface OpenInvitation {
  readonly person: Person;
  readonly merchantName: string | null;
  readonly invitedBy: string;
  readonly totpSealed: Uint8Array | null;
  readonly expiresAt: Date;
}

const INSERT = statement(
  "invitations_insert",
  `insert into invitations (id, person_id, token_hash, invited_by, expires_at)
   values ($1, $2, $3, $4, clock_timestamp() + interval '${INVITATION_SECONDS} seconds')
   returning expires_at as "expiresAt"`,
);
const FOUND = `select ${PERSON_COLUMNS},
  m.name as "merchantName", i.invited_by as "invitedBy", i.totp_sealed as "totpSealed",
  i.expires_at as "expiresAt"
  from invitations i join people p on p.id = i.person_id left join merchants m on m.id = p.merchant_id
  where i.token_hash = $1 and i.expires_at > clock_timestamp() and p.state <> 'disabled'
    and m.disabled_at is null`;
const FIND = statement("invitations_find", FOUND);
const LOCK = statement("invitations_lock", `${FOUND} for update of i, p`);
const KEEP_SECRET = statement(
  "invitations_keep_secret",
  "update invitations set totp_sealed = $2 where token_hash = $1",
);
const REMOVE = statement("invitations_remove", "delete from invitations where person_id = $1");

export interface NewInvitation {
  readonly id: string;
  readonly personId: string;
  readonly tokenHash: Uint8Array;
  readonly invitedBy: string;
}

/**
 * Stores an invitation in place of the person's earlier one, and returns when it ends. A mail of the earlier one that
 * waits goes away with it.
 */
export async function putInvitation(tx: Tx, invitation: NewInvitation): Promise<Date> {
  const { id, personId, tokenHash, invitedBy } = invitation;
  await removeInvitation(tx, personId);
  const [row] = await tx.query<{ expiresAt: Date }>(INSERT, [id, personId, tokenHash, invitedBy]);
  if (row === undefined) throw new Error("The invitation was not stored.");
  return row.expiresAt;
}

type Row = Person & Omit<OpenInvitation, "person">;

function toInvitation(row: Row | undefined): OpenInvitation | undefined {
  if (row === undefined) return undefined;
  const { merchantName, invitedBy, totpSealed, expiresAt, ...person } = row;
  return { person, merchantName, invitedBy, totpSealed, expiresAt };
}

/** Finds the open invitation of a token. */
export const findInvitation = async (
  queryable: Queryable,
  tokenHash: Uint8Array,
): Promise<OpenInvitation | undefined> =>
  toInvitation((await queryable.query<Row>(FIND, [tokenHash]))[0]);

/** The same, and locks it and its person until the database transaction ends. */
export const lockInvitation = async (
  tx: Tx,
  tokenHash: Uint8Array,
): Promise<OpenInvitation | undefined> => toInvitation((await tx.query<Row>(LOCK, [tokenHash]))[0]);

/** Stores the sealed secret of an authenticator with the invitation of a token. */
export async function storeAuthenticatorSecret(
  queryable: Queryable,
  tokenHash: Uint8Array,
  sealed: Uint8Array,
): Promise<void> {
  await queryable.query(KEEP_SECRET, [tokenHash, sealed]);
}

/** Removes the person's invitation. Its link stops working. */
export async function removeInvitation(tx: Tx, personId: string): Promise<void> {
  await tx.query(REMOVE, [personId]);
}
