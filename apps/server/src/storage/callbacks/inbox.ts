import type { JobKind } from "../../domain/orders/transition.ts";
import type { CallbackSubject } from "../../domain/ports/provider-callbacks.ts";
import { JOBS_DUE_CHANNEL, keyOfJob } from "../jobs/jobs.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** A verified callback as the inbox stores it. */
export interface StoredCallback {
  readonly provider: string;
  readonly eventKey: string;
  readonly subjects: readonly CallbackSubject[];
  readonly bodySealed: Uint8Array;
}

/** The jobs that look at a subject. An order's job for deposits has the order's id and not the reference. */
const LOOKING: Readonly<Record<"payment" | "payout", readonly JobKind[]>> = {
  payment: ["authorize_payment", "capture_payment", "void_payment"],
  payout: ["send_payout"],
};

// A job that runs now may have asked its rail before the event, so it is marked to run again.
const STORE = statement(
  "provider_callbacks_store",
  `with stored as (
     insert into provider_callbacks (provider, event_key, subjects, body_sealed)
     values ($1, $2, $3::jsonb, $4) on conflict (provider, event_key) do nothing returning provider),
   looking as materialized (
     select unnest($5::text[]) as key
     union select 'watch_payment:' || order_id from payment_instructions
       where reference = any ($6::text[])),
   hurried as (
     update jobs set run_at = least(run_at, business_now()), hurried = lease_token is not null
     where key = any (array(select key from looking)) and exists (select from stored)
     returning id)
   select (select count(*) from hurried)::int as hurried`,
);

/** Stores a callback and makes the jobs due that look at its subjects. A repetition does neither. */
export async function storeCallback(
  queryable: Queryable,
  { provider, eventKey, subjects, bodySealed }: StoredCallback,
): Promise<void> {
  const keys = subjects.flatMap(({ kind, reference }) =>
    kind === "deposit"
      ? []
      : LOOKING[kind].map((looking) => keyOfJob({ kind: looking, subject: reference })),
  );
  const deposits = subjects.filter(({ kind }) => kind === "deposit");
  const [row] = await queryable.query<{ hurried: number }>(STORE, [
    provider,
    eventKey,
    JSON.stringify(subjects),
    bodySealed,
    keys,
    deposits.map(({ reference }) => reference),
  ]);
  if (!row) throw new Error("the callback was not stored");
  if (row.hurried > 0) queryable.hint(JOBS_DUE_CHANNEL);
}

const SOURCES = statement(
  "provider_callbacks_sources",
  `select provider, greatest(0, extract(epoch from business_now() - max(received_at)) * 1000)::float8 as "lastAgeMs",
     count(*) filter (where received_at > business_now() - interval '24 hours')::int as "lastDay"
   from provider_callbacks group by provider order by provider`,
);

/** A provider that has called back, within the days for which callbacks are stored. */
export interface CallbackSource {
  readonly provider: string;
  readonly lastAgeMs: number;
  readonly lastDay: number;
}

export const listCallbackSources = (queryable: Queryable): Promise<CallbackSource[]> =>
  queryable.query<CallbackSource>(SOURCES);
