import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { giveTo, type OperatingUser } from "./operating-user.ts";

const BYTES_MAX = 8_000_000;

export const serverLogOf = (dataDir: string): string => join(dataDir, "server.log");

/**
 * Once the log is large it becomes `server.log.1`, in place of the one before, and begins anew. PostgreSQL
 * keeps the file open and appends, so it is copied and emptied; a line of that very moment may be lost.
 */
export function boundServerLog(dataDir: string, user: OperatingUser | undefined): void {
  const file = serverLogOf(dataDir);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.size <= BYTES_MAX) return;
  const before = `${file}.1`;
  try {
    copyFileSync(file, before);
    giveTo(user, before);
  } catch {
    // A full disk: room is worth more than what was logged.
    rmSync(before, { recursive: true, force: true });
  }
  truncateSync(file);
}
