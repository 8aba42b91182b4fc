import { totalmem } from "node:os";

const MB = 1_048_576;
const MIN_MB = 128;
/** The reads of a million orders fit into this size. More would cost memory and time at every start. */
const MAX_MB = 2_048;

/**
 * Returns the size of PostgreSQL's own cache in megabytes: a quarter of the memory, within the two bounds.
 */
export const sharedBuffersMb = (memoryBytes: number): number =>
  Math.floor(Math.min(MAX_MB, Math.max(MIN_MB, memoryBytes / 4 / MB)));

/** Returns the memory that this process may use; in a container, the container's limit. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
