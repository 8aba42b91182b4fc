import {
  type Person,
  type PersonSession,
  SESSION_IDLE_SECONDS,
  SESSION_SECONDS,
  type SignedInWith,
} from "../../domain/people/person.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { PERSON_COLUMNS } from "./person-columns.ts";

/** A session as its person sees it in a list. */
export interface ListedSession extends Omit<PersonSession, "steppedUpAt"> {
  readonly address: string;
  readonly browser: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

/** An open session with its person, whose roles and state are current. */
export interface OpenPersonSession {
  readonly session: PersonSession;
  readonly person: Person & {
    readonly merchantName: string | null;
    readonly hasPasskey: boolean;
    readonly hasPassword: boolean;
  };
}

/** The condition of a session that has not ended. */
export const IS_OPEN = `s.ends_at > clock_timestamp()
  and s.last_seen_at > clock_timestamp() - interval '${SESSION_IDLE_SECONDS} seconds'`;

const INSERT = statement(
  "person_sessions_insert",
  `insert into person_sessions
     (id, person_id, token_hash, signed_in_with, address, browser, stepped_up_at, ends_at)
   values ($1, $2, $3, $4, $5, $6, case when $7 then clock_timestamp() else 'epoch' end,
     clock_timestamp() + interval '${SESSION_SECONDS} seconds')`,
);
// The people of a disabled merchant have no open session.
const FIND = statement(
  "person_sessions_find",
  `select s.id as "sessionId", s.signed_in_with as "signedInWith", s.stepped_up_at as "steppedUpAt",
     s.ends_at as "endsAt", s.last_seen_at < clock_timestamp() - interval '1 minute' as "isStale",
     ${PERSON_COLUMNS},
     m.name as "merchantName", p.password_hash is not null as "hasPassword",
     exists (select from passkeys k where k.person_id = p.id) as "hasPasskey"
   from person_sessions s join people p on p.id = s.person_id
     left join merchants m on m.id = p.merchant_id
   where s.token_hash = $1 and ${IS_OPEN} and p.state = 'active' and m.disabled_at is null`,
);
const LIST_OPEN = statement(
  "person_sessions_list_open",
  `select s.id, p.roles from person_sessions s join people p on p.id = s.person_id
     left join merchants m on m.id = p.merchant_id
   where s.id = any ($1::uuid[]) and ${IS_OPEN} and p.state = 'active' and m.disabled_at is null`,
);
const TOUCH = statement(
  "person_sessions_touch",
  "update person_sessions set last_seen_at = clock_timestamp() where id = $1",
);
const STEP_UP = statement(
  "person_sessions_step_up",
  "update person_sessions set stepped_up_at = clock_timestamp() where id = $1",
);
const LIST = statement(
  "person_sessions_list",
  `select s.id, s.signed_in_with as "signedInWith", s.address, s.browser, s.created_at as "createdAt",
     s.last_seen_at as "lastSeenAt", s.ends_at as "endsAt"
   from person_sessions s where s.person_id = $1 and ${IS_OPEN} order by s.created_at desc, s.id`,
);
const END = statement(
  "person_sessions_end",
  "delete from person_sessions where id = $1 and person_id = $2 returning id",
);
const END_ALL = statement(
  "person_sessions_end_all",
  "delete from person_sessions where person_id = $1 returning id",
);
const END_OTHERS = statement(
  "person_sessions_end_others",
  "delete from person_sessions where person_id = $1 and id <> $2 returning id",
);
const IS_STILL_OPEN = statement(
  "person_sessions_is_open",
  `select exists (select from person_sessions s join people p on p.id = s.person_id
     where s.id = $1 and ${IS_OPEN} and p.state = 'active') as "isOpen"`,
);
const END_OF_TOKEN = statement(
  "person_sessions_end_of_token",
  "delete from person_sessions where token_hash = $1",
);
const CLEAR = statement(
  "person_sessions_clear",
  `delete from person_sessions where id in (
     select id from person_sessions where ends_at < clock_timestamp()
     order by ends_at limit $1 for update skip locked)`,
);

export interface NewPersonSession {
  readonly id: string;
  readonly personId: string;
  readonly tokenHash: Uint8Array;
  readonly signedInWith: SignedInWith;
  readonly address: string;
  readonly browser: string;
  /** The sign-in is a fresh proof too. */
  readonly isProof: boolean;
}

export async function insertSession(tx: Tx, session: NewPersonSession): Promise<void> {
  const { id, personId, tokenHash, signedInWith, address, browser, isProof } = session;
  await tx.query(INSERT, [id, personId, tokenHash, signedInWith, address, browser, isProof]);
}

type OpenRow = OpenPersonSession["person"] & {
  readonly sessionId: string;
  readonly signedInWith: SignedInWith;
  readonly steppedUpAt: Date;
  readonly endsAt: Date;
  readonly isStale: boolean;
};

/** Finds the open session of a token. The time of its last request is written once a minute. */
export async function findSession(
  queryable: Queryable,
  tokenHash: Uint8Array,
): Promise<OpenPersonSession | undefined> {
  const [row] = await queryable.query<OpenRow>(FIND, [tokenHash]);
  if (row === undefined) return undefined;
  const { sessionId, signedInWith, steppedUpAt, endsAt, isStale, ...person } = row;
  if (isStale) await queryable.query(TOUCH, [sessionId]);
  return { person, session: { id: sessionId, signedInWith, steppedUpAt, endsAt } };
}

/** Returns those of the sessions that are open, with the roles of their people. It counts as no request. */
export async function findOpenSessions(
  queryable: Queryable,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await queryable.query<{ id: string; roles: readonly string[] }>(LIST_OPEN, [
    sessionIds,
  ]);
  return new Map(rows.map(({ id, roles }) => [id, roles]));
}

/** Records that the person proved that they are still there. */
export async function markSteppedUp(queryable: Queryable, sessionId: string): Promise<void> {
  await queryable.query(STEP_UP, [sessionId]);
}

/** Lists the open sessions of a person, the newest first. */
export const listSessions = (queryable: Queryable, personId: string): Promise<ListedSession[]> =>
  queryable.query<ListedSession>(LIST, [personId]);

/** Ends a session of the person. Returns false when there is no such session. */
export async function endSession(
  tx: Tx,
  { sessionId, personId }: { readonly sessionId: string; readonly personId: string },
): Promise<boolean> {
  return (await tx.query(END, [sessionId, personId])).length > 0;
}

/** Ends the session of a token, if there is one. */
export async function endSessionOfToken(tx: Tx, tokenHash: Uint8Array): Promise<void> {
  await tx.query(END_OF_TOKEN, [tokenHash]);
}

/** Returns whether the session is still open. Lock its person before, so that the answer holds. */
export async function isSessionOpen(tx: Tx, sessionId: string): Promise<boolean> {
  return (await tx.query<{ isOpen: boolean }>(IS_STILL_OPEN, [sessionId]))[0]?.isOpen === true;
}

/** Ends every session of the person and returns their number. */
export async function endSessions(tx: Tx, personId: string): Promise<number> {
  return (await tx.query(END_ALL, [personId])).length;
}

/** Ends every session of the person but one, and returns their number. */
export async function endOtherSessions(
  tx: Tx,
  { personId, sessionId }: { readonly personId: string; readonly sessionId: string },
): Promise<number> {
  return (await tx.query(END_OTHERS, [personId, sessionId])).length;
}

/** Deletes at most `limit` sessions that have ended and returns their number. */
export const clearEndedSessions = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);
