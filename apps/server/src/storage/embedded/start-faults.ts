import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** PostgreSQL needs about this room to write its log and to recover. A WAL file alone has 16 MB. */
const ROOM_BYTES_MIN = 32_000_000;
const FULL = /No space left on device|Disk quota exceeded/;
const NO_ACCOUNT = /could not look up effective user ID (\d+)/;

/**
 * Says why the embedded server did not start and what to do, if the cause is known. A full disk takes no further line of the
 * server's log, so the free space is checked too.
 */
export function explainStart(reason: string, dataDir: string): string {
  if (FULL.test(reason) || roomBytes(dataDir) < ROOM_BYTES_MIN) {
    return (
      `PostgreSQL cannot write to ${dataDir}: the disk is full (ENOSPC). Make room on it. The service tries again by ` +
      `itself. ${reason}`
    );
  }
  const user = NO_ACCOUNT.exec(reason)?.[1];
  if (user !== undefined) {
    return (
      `PostgreSQL needs an account for its user ${user}, and /etc/passwd has none. Add a line such as ` +
      `exchange:x:${user}:${user}::/nonexistent:/usr/sbin/nologin, run the service as a user with an account, or set DATABASE_URL.`
    );
  }
  return reason;
}

function roomBytes(dataDir: string): number {
  try {
    const { bavail, bsize } = statfsSync(join(dataDir, "pg_wal"));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Throws when the data folder was made by another major version of PostgreSQL. Its files differ. */
export function requireMajor(dataDir: string, major: string): void {
  const found = readFileSync(join(dataDir, "PG_VERSION"), "utf8").trim();
  if (found === major) return;
  throw new Error(
    `The database in ${dataDir} was made by PostgreSQL ${found}, and this version of Exchange has PostgreSQL ${major}. ` +
      `Start the version of Exchange that made it, or run its files with PostgreSQL ${found} and set DATABASE_URL ` +
      "(docs/operating/upgrade.md#the-embedded-postgresql).",
  );
}
