import type { MarketRates } from "../../domain/ports/network-fees.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** The fee market of a network as it was last measured. */
export interface MeasuredRate extends MarketRates {
  readonly networkCode: string;
  readonly measuredAt: Date;
  /** The age of the measurement when it was read. It does not depend on this machine's clock. */
  readonly ageMs: number;
}

// The clock is the real one: moving the business clock makes no measurement stale.
const BEGIN = statement(
  "chain_fee_rates_begin",
  `insert into chain_fee_rates as r (network_code, begun_at) values ($1, clock_timestamp())
   on conflict (network_code) do update set begun_at = excluded.begun_at
     where r.begun_at <= clock_timestamp() - $2 * interval '1 millisecond'
   returning network_code`,
);
const RECORD = statement(
  "chain_fee_rates_record",
  `update chain_fee_rates set rate = $2, byte_rate = $3, token_rate = $4, measured_at = clock_timestamp(), problem = null
   where network_code = $1`,
);
const NOTE_PROBLEM = statement(
  "chain_fee_rates_note_problem",
  "update chain_fee_rates set problem = $2 where network_code = $1",
);
const LIST = statement(
  "chain_fee_rates_list",
  `select network_code as "networkCode", rate::text, byte_rate::text as "byteRate",
     token_rate::text as "tokenRate", measured_at as "measuredAt",
     (extract(epoch from clock_timestamp() - measured_at) * 1000)::float8 as "ageMs", problem
   from chain_fee_rates order by network_code`,
);

/** Claims the next measurement. Returns whether this process makes it: one a period does. */
export async function beginMeasurement(
  queryable: Queryable,
  networkCode: string,
  everyMs: number,
): Promise<boolean> {
  return (await queryable.query(BEGIN, [networkCode, everyMs])).length > 0;
}

export async function recordRate(
  queryable: Queryable,
  networkCode: string,
  rates: MarketRates,
): Promise<void> {
  const { rate, byteRate = null, tokenRate = null } = rates;
  await queryable.write(RECORD, [networkCode, rate, byteRate, tokenRate]);
}

/** Records why a measurement failed. The rate before it stays, and grows old. */
export async function noteRateProblem(
  queryable: Queryable,
  networkCode: string,
  problem: string,
): Promise<void> {
  await queryable.write(NOTE_PROBLEM, [networkCode, problem]);
}

/** A network's row, measured or not. */
export interface RateRow {
  readonly networkCode: string;
  readonly rate: string | null;
  readonly byteRate: string | null;
  readonly tokenRate: string | null;
  readonly measuredAt: Date | null;
  readonly ageMs: number | null;
  readonly problem: string | null;
}

export const listRateRows = (queryable: Queryable): Promise<RateRow[]> =>
  queryable.query<RateRow>(LIST);

/** Lists the networks that were measured at least once. */
export async function listMeasuredRates(queryable: Queryable): Promise<MeasuredRate[]> {
  return (await listRateRows(queryable)).flatMap(
    ({ networkCode, rate, byteRate, tokenRate, measuredAt, ageMs }) => {
      if (rate === null || measuredAt === null || ageMs === null) return [];
      const ofBytes = byteRate === null ? {} : { byteRate: BigInt(byteRate) };
      const ofTokens = tokenRate === null ? {} : { tokenRate: BigInt(tokenRate) };
      return [{ networkCode, rate: BigInt(rate), ...ofBytes, ...ofTokens, measuredAt, ageMs }];
    },
  );
}
