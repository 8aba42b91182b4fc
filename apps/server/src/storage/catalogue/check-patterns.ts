/** `*`, `+` and `{2,}` at this place of a pattern, or `{2,9}`. A `?` and `{3}` repeat nothing again and again. */
const REPEATS = /^(?:[*+]|\{\d+,\d*\})/;

interface Group {
  /** It holds something that can match the same text in several ways. */
  isAmbiguous: boolean;
}

/**
 * Returns why a pattern may take exponential time; undefined when it cannot. The pattern runs on the
 * service's only thread and in the customer's browser, on text that a customer typed. A group that
 * repeats must therefore hold no repetition and no choice of its own, and nothing refers back.
 */
export function patternProblem(pattern: string): string | undefined {
  const groups: Group[] = [{ isAmbiguous: false }];
  for (let index = 0; index < pattern.length; index += 1) {
    const sign = pattern[index];
    const group = groups.at(-1);
    if (sign === "\\") {
      index += 1;
      if (/[1-9k]/.test(pattern[index] ?? "")) return "It refers back to a group. Write it out.";
    } else if (sign === "[") {
      index = endOfClass(pattern, index);
    } else if (sign === "(") {
      groups.push({ isAmbiguous: false });
    } else if (sign === ")") {
      const closed = groups.pop();
      const isRepeated = REPEATS.test(pattern.slice(index + 1));
      if (isRepeated && closed?.isAmbiguous) {
        return "It repeats a group that itself repeats or offers a choice. Write it without one of the two.";
      }
      const outer = groups.at(-1);
      if (outer && closed?.isAmbiguous) outer.isAmbiguous = true;
    }
    const isChoice = sign === "|" || REPEATS.test(pattern.slice(index + 1));
    const inner = sign === ")" ? groups.at(-1) : group;
    if (isChoice && inner) inner.isAmbiguous = true;
  }
  return undefined;
}

/** Returns the index of the bracket that ends a class. Inside, no sign repeats anything. */
function endOfClass(pattern: string, start: number): number {
  let index = start + 1;
  while (index < pattern.length && pattern[index] !== "]") {
    index += pattern[index] === "\\" ? 2 : 1;
  }
  return index;
}
