/** A quantifier, with its lowest and highest count in braces. */
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,)?(\d*)\})/;
/** A field has at most this many characters (contract, the member `payout` of an order). */
const CHARACTERS_MAX = 256;
/** The most that an open repetition adds: three of them share the characters in 142³ ways. */
const OPEN_WAYS = 142;
/** The highest number of ways to match one text. They are tried in less than half a second. */
const WAYS_MAX = 3_000_000;

/** A group, or the pattern. The ways of its alternatives add up. */
interface Group {
  endedWays: number;
  /** The ways of the alternative that is open at this place. */
  ways: number;
}

/**
 * Returns why a pattern may take too long; undefined when it cannot. The pattern runs on the service's
 * only thread and in the customer's browser, on text that a customer typed. The ways to match one text
 * are therefore bounded: each repetition and choice multiplies them, and a group that repeats raises its
 * own to a power. Nothing refers back.
 */
export function patternProblem(pattern: string): string | undefined {
  const groups: Group[] = [{ endedWays: 0, ways: 1 }];
  for (let index = 0; index < pattern.length; index += 1) {
    const sign = pattern[index];
    if (sign === "(") {
      groups.push({ endedWays: 0, ways: 1 });
      continue;
    }
    if (sign === "[") index = endOfClass(pattern, index);
    if (sign === "\\") {
      index += 1;
      if (/[1-9k]/.test(pattern[index] ?? "")) return "It refers back to a group. Write it out.";
    }
    const closed = sign === ")" && groups.length > 1 ? waysOf(groups.pop()) : 1;
    const group = groups.at(-1);
    if (!group) continue;
    if (sign === "|") {
      group.endedWays += group.ways;
      group.ways = 1;
    }
    const { times, counts } = repetitionAt(pattern, index + 1);
    // A group with one way has one way however often it repeats.
    group.ways *= (closed === 1 ? 1 : closed ** times) * counts;
  }
  if (waysOf(groups[0]) <= WAYS_MAX) return undefined;
  return "It repeats parts that can match the same text in too many ways. Repeat fewer parts, and offer no choice in a part that repeats.";
}

const waysOf = (group: Group | undefined): number =>
  group === undefined ? 1 : group.endedWays + group.ways;

interface Repetition {
  /** The highest number of times. */
  readonly times: number;
  /** How many numbers of times are allowed. */
  readonly counts: number;
}

function repetitionAt(pattern: string, index: number): Repetition {
  const found = QUANTIFIER.exec(pattern.slice(index));
  if (!found) return { times: 1, counts: 1 };
  const [, sign, lowest = "0", comma, highest] = found;
  if (sign === "?") return { times: 1, counts: 2 };
  if (sign !== undefined) return { times: CHARACTERS_MAX, counts: OPEN_WAYS };
  if (comma === undefined) return { times: Number(lowest), counts: 1 };
  const times = highest ? Number(highest) : CHARACTERS_MAX;
  return { times, counts: Math.min(OPEN_WAYS, Math.max(1, times - Number(lowest) + 1)) };
}

/** Returns the index of the bracket that ends a class. Inside, no sign repeats anything. */
function endOfClass(pattern: string, start: number): number {
  let index = start + 1;
  while (index < pattern.length && pattern[index] !== "]") {
    index += pattern[index] === "\\" ? 2 : 1;
  }
  return index;
}
