/**
 * @typedef {object} Load What one round measured of one side.
 * @property {number} perSecond
 * @property {number} [p50] milliseconds; so is p99
 * @property {number} [p99]
 * @property {number} [cpuUs] processor time of the server, microseconds a request
 *
 * @typedef {object} Row A figure of the service against its floor, measured in the same minutes.
 * @property {string} name
 * @property {number} target the least ratio of service to floor
 * @property {string} floor what the floor is, in words
 * @property {(service) => Promise<Prepared>} prepare
 *
 * @typedef {object} Prepared
 * @property {(seconds: number) => Promise<Load | undefined>} floor undefined where its tool is missing
 * @property {(seconds: number) => Promise<Load>} service
 * @property {(seconds: number, perSecond: number) => Promise<Load>} [paced] the same requests at a
 *   given pace. With it the row is followed by one of its latency at half its maximum.
 * @property {() => void | Promise<void>} stop
 *
 * @typedef {object} Result
 * @property {string} row
 * @property {number | undefined} ratio undefined when it was skipped
 * @property {number} target
 * @property {boolean} isMet
 * @property {string} floor
 * @property {number | null} p50
 * @property {number | null} p99
 */

const LATENCY_RATIO_MAX = 10;
const LATENCY_ROUNDS = 3;

export const median = (numbers) =>
  [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];

/** The row's result, and that of its latency at half its maximum. */
export async function measureRow(service, row, { rounds, seconds, progress }) {
  const prepared = await row.prepare(service);
  try {
    await prepared.service(1);
    const pairs = [];
    for (let round = 1; round <= rounds; round++) {
      const low = await prepared.floor(seconds);
      if (low === undefined) break;
      const high = await prepared.service(seconds);
      pairs.push({ low, high, ratio: high.perSecond / low.perSecond });
      progress(`${row.name}: round ${round} of ${rounds}, ${pairs.at(-1).ratio.toFixed(2)}`);
    }
    const results = [resultOf(row, pairs)];
    if (prepared.paced)
      results.push(await measureLatency({ row, prepared, pairs, seconds, progress }));
    return results;
  } finally {
    await prepared.stop();
  }
}

/** What stands in the table for a row without a figure. */
export function failedRow({ name, target, floor }, error) {
  const why = `failed: ${error.message}`;
  return { row: name, ratio: undefined, target, isMet: false, floor, p50: null, p99: null, why };
}

function resultOf(row, pairs) {
  const { name, target, floor } = row;
  if (pairs.length === 0) return failedRow(row, new Error("the tool of its floor is missing"));
  const ratios = pairs.map((pair) => pair.ratio);
  const ratio = median(ratios);
  const { low, high } = pairs.find((pair) => pair.ratio === ratio);
  return {
    row: name,
    ratio,
    target,
    isMet: ratio >= target,
    floor,
    p50: high.p50 ?? null,
    p99: high.p99 ?? null,
    perSecond: high.perSecond,
    floorPerSecond: low.perSecond,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    ...(high.cpuUs === undefined ? {} : { cpuUs: high.cpuUs, floorCpuUs: low.cpuUs }),
  };
}

/** At half its maximum a server has time: what is slow then is a pause, not a queue. */
async function measureLatency({ row, prepared, pairs, seconds, progress }) {
  const half = (pairs.length > 0 ? median(pairs.map(({ high }) => high.perSecond)) : 100) / 2;
  const rounds = [];
  for (let round = 1; round <= LATENCY_ROUNDS; round++) {
    const { p50, p99 } = await prepared.paced(seconds, half);
    rounds.push({ p50, p99, ratio: p99 / p50 });
    progress(
      `${row.name}, p99 at half: round ${round} of ${LATENCY_ROUNDS}, ${(p99 / p50).toFixed(1)}`,
    );
  }
  const ratios = rounds.map((each) => each.ratio);
  const ratio = median(ratios);
  const { p50, p99 } = rounds.find((each) => each.ratio === ratio);
  return {
    row: `${row.name}: p99 at half its maximum`,
    ratio,
    target: LATENCY_RATIO_MAX,
    isMet: ratio <= LATENCY_RATIO_MAX,
    floor: "its own p50",
    p50,
    p99,
    perSecond: half,
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}
