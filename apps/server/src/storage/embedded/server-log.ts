import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { chownTo, type OperatingUser } from "./operating-user.ts";

const BYTES_MAX = 8_000_000;

export const serverLogOf = (dataDir: string): string => join(dataDir, "server.log");

/**
 * Rotates a large log: it becomes `server.log.1` and replaces the file of that name. PostgreSQL holds the log
 * open and appends to it, so the log is copied and then emptied. A line of that very moment may be lost.
 */
export function boundServerLog(dataDir: string, user: OperatingUser | undefined): void {
  const file = serverLogOf(dataDir);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.size <= BYTES_MAX) return;
  const rotated = `${file}.1`;
  try {
    copyFileSync(file, rotated);
    chownTo(user, rotated);
  } catch {
    // The disk is full, and free space is worth more than the old log.
    rmSync(rotated, { recursive: true, force: true });
  }
  truncateSync(file);
}
