/**
 * The pending delivery that is due first, as `next_attempt_at`, of each endpoint that gets its webhooks. The waits of
 * failing and disabled endpoints are not lateness of the service.
 */
export const FIRST_DELIVERIES = `webhook_endpoints e cross join lateral (
        select next_attempt_at from pending_deliveries p
        where p.merchant_id = e.merchant_id and p.endpoint_id = e.id
        order by next_attempt_at limit 1) first
      where e.state = 'active' and e.first_failure_at is null`;

const epochSince = (time: string): string => `extract(epoch from business_now() - ${time})`;

/** The SQL of the business time since a time: a number of seconds, at least 0. */
export const secondsSince = (time: string): string => `greatest(0, ${epochSince(time)})::float8`;

/** The SQL of the business time since a time: a number of milliseconds, at least 0. */
export const millisecondsSince = (time: string): string =>
  `greatest(0, ${epochSince(time)} * 1000)::float8`;
