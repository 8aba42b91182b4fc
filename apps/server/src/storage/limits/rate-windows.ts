import type { RateCount, RateCounters } from "../../domain/ports/rate-counters.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Windows end by real time, because the business clock of a sandbox may run ahead. The rows are sorted, so
// that two processes cannot deadlock.
const ADD = statement(
  "rate_windows_add",
  `insert into rate_windows as w (rate_limit, key, count, ends_at)
   select rate_limit, key, amount, clock_timestamp() + window_ms * interval '1 millisecond'
   from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as c (rate_limit, key, amount, window_ms)
   order by rate_limit, key
   on conflict (rate_limit, key) do update set
     count = case when w.ends_at > clock_timestamp() then w.count else 0 end + excluded.count,
     ends_at = case when w.ends_at > clock_timestamp() then w.ends_at else excluded.ends_at end
   returning rate_limit, key, count::int,
     (extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as ends_in_ms`,
);
const CLEAR = statement(
  "rate_windows_clear",
  `delete from rate_windows where (rate_limit, key) in (
     select rate_limit, key from rate_windows where ends_at < now()
     order by ends_at limit $1 for update skip locked)`,
);

interface Row {
  readonly rate_limit: string;
  readonly key: string;
  readonly count: number;
  readonly ends_in_ms: number;
}

const READ = statement(
  "rate_windows_read",
  `select count::int from rate_windows
   where rate_limit = $1 and key = $2 and ends_at > clock_timestamp()`,
);

const GIVE_BACK = statement(
  "rate_windows_give_back",
  `update rate_windows set count = greatest(1, count - $3)
   where rate_limit = $1 and key = $2 and ends_at > clock_timestamp()`,
);

/** Subtracts counted things that did not happen from an open window. The count never falls below one. */
export const giveBackCount = (
  queryable: Queryable,
  { limit, key, amount }: Omit<RateCount, "windowMs">,
): Promise<number> => queryable.write(GIVE_BACK, [limit, key, amount]);

/** Returns the count of an open window; 0 when none is open. */
export async function countOfWindow(
  queryable: Queryable,
  { limit, key }: Pick<RateCount, "limit" | "key">,
): Promise<number> {
  return (await queryable.query<{ readonly count: number }>(READ, [limit, key]))[0]?.count ?? 0;
}

export const makeRateCounters = (queryable: Queryable): RateCounters => ({
  async add(counts) {
    const rows = await queryable.query<Row>(ADD, [
      counts.map(({ limit }) => limit),
      counts.map(({ key }) => key),
      counts.map(({ amount }) => amount),
      counts.map(({ windowMs }) => Math.ceil(windowMs)),
    ]);
    const byCaller = new Map(rows.map((row) => [`${row.rate_limit} ${row.key}`, row]));
    return counts.map(({ limit, key }) => {
      const row = byCaller.get(`${limit} ${key}`);
      if (!row) throw new Error(`the database returned no window of the rate limit ${limit}`);
      return { count: row.count, endsInMs: row.ends_in_ms };
    });
  },
});

/** Deletes at most `limit` windows that have ended and returns their number. */
export const clearEndedWindows = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);
