import { totalmem } from "node:os";

const MB = 1_048_576;
const MIN_MB = 128;
/** As much as the reads of a million orders touch. More costs memory and time at every start. */
const MAX_MB = 2_048;

/** PostgreSQL's own cache, in megabytes: a quarter of the memory there is. */
export const sharedBuffersMb = (memoryBytes: number): number =>
  Math.floor(Math.min(MAX_MB, Math.max(MIN_MB, memoryBytes / 4 / MB)));

/** What this process may use: of a container, its limit. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
