/**
 * @typedef {import("./load.mjs").Load} Load
 *
 * @typedef {object} Row A figure of the service against a floor, measured in the same minutes.
 * @property {string} name
 * @property {number} must the ratio of service to floor that every release reaches
 * @property {number} aim the ratio that the best known design reaches
 * @property {string} floor the floor, in words
 * @property {(service) => Promise<Prepared>} prepare
 *
 * @typedef {object} Prepared
 * @property {(seconds: number) => Promise<Load | undefined>} floor undefined where its tool is missing
 * @property {(seconds: number) => Promise<Load>} service
 * @property {(highest: number, options: { seconds: number, progress }) => Promise<Result[]>} [follow]
 *   measures further rows at a part or a multiple of the highest rate
 * @property {() => void | Promise<void>} stop
 *
 * @typedef {object} Result
 * @property {string} row
 * @property {number | undefined} ratio the figure; undefined when the row was not measured
 * @property {string} unit empty for a ratio
 * @property {number | null} must null for a row without a target
 * @property {number | null} aim
 * @property {boolean} isMet
 * @property {boolean} isAimReached
 * @property {string} floor
 */

export const median = (numbers) =>
  [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];

/**
 * Returns the result of figures that must be at least `must`, or at most where `isUpperBound` is true.
 * @returns {Result}
 */
export function resultOf(
  { row, unit = "", must, aim = null, floor = "", isUpperBound = false },
  figures,
) {
  const ratio = median(figures);
  const reaches = (target) => (isUpperBound ? ratio <= target : ratio >= target);
  return {
    row,
    ratio,
    unit,
    must,
    aim,
    isUpperBound,
    isMet: reaches(must),
    isAimReached: aim !== null && reaches(aim),
    floor,
    spread: [Math.min(...figures), Math.max(...figures)],
  };
}

/** Returns the result of a row without a figure. */
export function failedRow({ name, must, aim = null, floor }, error) {
  const why = `failed: ${error.message}`;
  return {
    row: name,
    ratio: undefined,
    unit: "",
    must,
    aim,
    isMet: false,
    isAimReached: false,
    floor,
    why,
  };
}

/** Measures floor and service in turn, and then the rows that follow from the highest rate. */
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
      progress(`${row.name}: round ${round} of ${rounds}, ${pairs.at(-1).ratio.toFixed(3)}`);
    }
    const results = [ratioResultOf(row, pairs)];
    const highest = median(pairs.map(({ high }) => high.perSecond));
    if (prepared.follow && highest > 0) {
      results.push(...(await prepared.follow(highest, { seconds, progress, pairs })));
    }
    return results;
  } finally {
    await prepared.stop();
  }
}

function ratioResultOf(row, pairs) {
  if (pairs.length === 0)
    return failedRow(row, new Error("the tool of its floor is not installed"));
  const { name, must, aim, floor } = row;
  const ratios = pairs.map(({ ratio }) => ratio);
  const result = resultOf({ row: name, must, aim, floor }, ratios);
  const { low, high } = pairs[ratios.indexOf(result.ratio)];
  return {
    ...result,
    p50: high.p50,
    p99: high.p99,
    perSecond: high.perSecond,
    floorPerSecond: low.perSecond,
    cpuUs: high.cpuUs,
    floorCpuUs: low.cpuUs,
  };
}
