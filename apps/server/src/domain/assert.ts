/** Throws when what must hold does not: a defect of ours, never of a caller's input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`broken invariant: ${message}`);
}
