import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The operating system's user that runs PostgreSQL, where it is not the service's own user. */
export interface OperatingUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user that runs PostgreSQL for root, because PostgreSQL refuses to run as root. It is the owner of
 * an existing data folder, else `postgres`, else `nobody`. Returns undefined for an ordinary user, who runs
 * PostgreSQL as itself.
 */
export function chooseOperatingUser(dataDir: string): OperatingUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataDir)) {
    const owner = statSync(dataDir);
    if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account =
    accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  if (account === undefined) {
    throw new Error(
      "PostgreSQL refuses to run as root, and this system has no user postgres and no user nobody. " +
        "Run the service as an ordinary user, or set DATABASE_URL.",
    );
  }
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

export function chownTo(user: OperatingUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** Returns whether the user may pass through every folder above the path. */
export function canReach(user: OperatingUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && !mayPass(user, folder)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function mayPass(user: OperatingUser, folder: string): boolean {
  const { uid, gid, mode } = statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
