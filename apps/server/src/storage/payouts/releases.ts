import type { PayoutPurpose } from "../../domain/payouts/payout-intent.ts";
import { APPROVALS_MAX, APPROVER_NAME_CHARACTERS_MAX } from "../../domain/payouts/release-text.ts";
import {
  type FeeTerms,
  refusesTerms,
  type SigningRefused,
} from "../../domain/ports/chain-sender.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { LAST_QUESTION, type SignerQuestion } from "./questions.ts";

/** The facts of a payout that its release names, beside those of its send. */
export interface ReleasedIntent {
  readonly orderId: bigint;
  readonly purpose: PayoutPurpose;
}

export interface NewRelease {
  readonly text: string;
  readonly signature: string;
}

export interface StoredRelease extends NewRelease {
  /** Whether the signer refused it. */
  readonly isVoid: boolean;
}

const FIND_INTENT = statement(
  "payout_releases_find_intent",
  `select order_id::text as order_id, purpose from payout_intents where id = $1`,
);
// The first release of a send is the one that is used, whichever worker wrote it. The lock excludes the hole filler,
// which gives up the places of sends that the signer was not asked for. A payout that left the send is not released there.
const IS_IN_SEND = `exists (select from chain_send_outputs output
  where output.send_id = $1 and output.intent_id = $2 and not output.is_vacated)`;
const STORE = statement(
  "payout_releases_store",
  `with send as materialized (
     select id from chain_sends where id = $1 and state in ('bound', 'signed', 'sent') and ${IS_IN_SEND} for update)
   insert into payout_releases (send_id, intent_id, text, signature)
   select id, $2, $3, $4 from send on conflict do nothing`,
);
const FIND = statement(
  "payout_releases_find",
  `select text, signature, voided_at is not null as "isVoid" from payout_releases
   where send_id = $1 and intent_id = $2`,
);
// No more than the signer reads, because rows are never deleted. The newest signature of each person comes first.
const LIST_APPROVALS = statement(
  "payout_approval_signatures_list",
  `select key_name as name, signature from (
     select signed.key_name, signed.signature, signed.at,
       row_number() over (partition by signed.person order by signed.at desc, signed.key_name) as place
     from payout_approval_signatures signed
     where signed.intent_id = $1 and length(signed.key_name) <= ${APPROVER_NAME_CHARACTERS_MAX}
       and exists (select from payout_approvals approval
         where approval.intent_id = $1 and approval.person = signed.person)) newest
   order by place, at, name limit ${APPROVALS_MAX}`,
);
const STORE_TERMS = statement(
  "chain_fee_terms_store",
  `insert into chain_fee_terms (send_id, number, terms) values ($1, $2, $3::jsonb)
   on conflict do nothing`,
);
const FIND_TERMS = statement(
  "chain_fee_terms_find",
  "select terms from chain_fee_terms where send_id = $1 and number = $2",
);
// The signer logged nothing for a request that it refused, so another request is not a second signature.
const FORGET_TERMS = statement(
  "chain_fee_terms_forget",
  `with ${LAST_QUESTION}
   delete from chain_fee_terms terms using question
   where terms.send_id = question.id and terms.number = $3
     and not exists (select from chain_transactions t
       where t.send_id = terms.send_id and t.number = terms.number)`,
);
// The signer refused it, so another text is not a second signature. A vacated send is not asked for again.
const RENEW = statement(
  "payout_releases_renew",
  `with send as materialized (
     select id from chain_sends where id = $1 and state = 'bound' and ${IS_IN_SEND} for update)
   update payout_releases release
   set text = $3, signature = $4, asked_at = clock_timestamp(), voided_at = null
   from send where release.send_id = send.id and intent_id = $2 and voided_at is not null
   returning text, signature, voided_at is not null as "isVoid"`,
);
// The release of a signed send stays as it is. A replacement there is released in memory only.
const REPLACE = statement(
  "payout_releases_replace",
  `update payout_releases set text = $3, signature = $4, asked_at = clock_timestamp()
   where send_id = $1 and intent_id = $2 and voided_at is null
     and not exists (select from chain_transactions t where t.send_id = payout_releases.send_id)`,
);
const ASK = statement(
  "payout_releases_ask",
  `update payout_releases set asked_at = clock_timestamp()
   where send_id = $1 and intent_id = $2 and voided_at is null`,
);
const VOID = statement(
  "payout_releases_void",
  `with ${LAST_QUESTION}
   update payout_releases release set voided_at = clock_timestamp() from question
   where release.send_id = question.id and release.voided_at is null
     and not exists (select from chain_transactions t where t.send_id = release.send_id)`,
);

export interface ReleaseKey {
  readonly sendId: string;
  readonly intentId: string;
}

export async function findReleasedIntent(
  queryable: Queryable,
  intentId: string,
): Promise<ReleasedIntent | undefined> {
  const [row] = await queryable.query<{ order_id: string; purpose: PayoutPurpose }>(FIND_INTENT, [
    intentId,
  ]);
  return row && { orderId: BigInt(row.order_id), purpose: row.purpose };
}

export async function findRelease(
  queryable: Queryable,
  { sendId, intentId }: ReleaseKey,
): Promise<StoredRelease | undefined> {
  const [row] = await queryable.query<StoredRelease>(FIND, [sendId, intentId]);
  return row;
}

/** Stores a release before the signer is asked. The first one that is stored wins, and is returned. */
export async function storeRelease(
  queryable: Queryable,
  key: ReleaseKey,
  { text, signature }: NewRelease,
): Promise<StoredRelease> {
  await queryable.query(STORE, [key.sendId, key.intentId, text, signature]);
  const stored = await findRelease(queryable, key);
  if (stored) return stored;
  throw new Error(`payout ${key.intentId} gave up its place and is bound again`);
}

/** Replaces a release that the signer refused. Returns undefined when its send has given up its place. */
export async function renewRelease(
  queryable: Queryable,
  { sendId, intentId }: ReleaseKey,
  { text, signature }: NewRelease,
): Promise<StoredRelease | undefined> {
  const [row] = await queryable.query<StoredRelease>(RENEW, [sendId, intentId, text, signature]);
  return row;
}

/**
 * Replaces a release whose key the signer no longer has, before the signer is asked with the new one. Returns the
 * new release, which is stored unless the send was signed before.
 */
export async function replaceRelease(
  queryable: Queryable,
  { sendId, intentId }: ReleaseKey,
  release: NewRelease,
): Promise<NewRelease> {
  await queryable.write(REPLACE, [sendId, intentId, release.text, release.signature]);
  return release;
}

/**
 * Records that the signer is asked again. Throws the database's `payouts_stopped` for a stopped payout, as every
 * statement does that lets the signer be asked.
 */
export async function noteAsking(
  queryable: Queryable,
  { sendId, intentId }: ReleaseKey,
): Promise<void> {
  await queryable.query(ASK, [sendId, intentId]);
}

/** Records that the signer refused the first transaction of a send. A later question leaves the releases as they are. */
export async function voidReleases(
  queryable: Queryable,
  { sendId, id }: SignerQuestion,
): Promise<void> {
  await queryable.query(VOID, [sendId, id]);
}

/** Lists the approvals of a payout that operators signed with their own keys. */
export const listSignedApprovals = (
  queryable: Queryable,
  intentId: string,
): Promise<{ name: string; signature: string }[]> => queryable.query(LIST_APPROVALS, [intentId]);

/** The terms of one transaction of a send, by the number of the transaction. */
export interface TermsKey {
  readonly sendId: string;
  readonly number: number;
}

export async function findStoredTerms(
  queryable: Queryable,
  { sendId, number }: TermsKey,
): Promise<FeeTerms | undefined> {
  const [row] = await queryable.query<{ terms: FeeTerms }>(FIND_TERMS, [sendId, number]);
  return row?.terms;
}

/** Stores the terms before the signer is asked. The first ones that are stored win, and are returned. */
export async function storeTerms(
  queryable: Queryable,
  key: TermsKey,
  terms: FeeTerms,
): Promise<FeeTerms> {
  await queryable.query(STORE_TERMS, [key.sendId, key.number, JSON.stringify(terms)]);
  const stored = await findStoredTerms(queryable, key);
  if (!stored) throw new Error(`the terms of send ${key.sendId} were not stored`);
  return stored;
}

/**
 * Deletes the stored terms of a transaction if the signer refused them, unless the signer was asked again meanwhile.
 * Returns whether other terms may be accepted.
 */
export async function forgetRefusedTerms(
  queryable: Queryable,
  refusal: SigningRefused,
  { sendId, id, number }: SignerQuestion & { readonly number: number },
): Promise<boolean> {
  if (!refusesTerms(refusal)) return false;
  await queryable.query(FORGET_TERMS, [sendId, id, number]);
  return true;
}
