import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canReach, chownTo, type OperatingUser } from "./operating-user.ts";

/** The longest path of a unix socket: 107 bytes on Linux, 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;
const SOCKET_FILE = "/.s.PGSQL.5432";

/**
 * Creates the folder for its owner alone. Every user can pass its parents, because PostgreSQL's user must.
 */
export function makePrivateFolder(path: string, user: OperatingUser | undefined): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o755 });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownTo(user, path);
}

/**
 * Creates the folder of the database and the secrets, closed to other users. A folder of an earlier
 * version is closed too. PostgreSQL's user may pass through it, and cannot list it.
 */
export function makeDataFolder(path: string, user?: OperatingUser): void {
  const isNew = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
  const isOurs = isNew || existsSync(join(path, "postgres", "PG_VERSION"));
  const { uid, mode } = statSync(path);
  if (!isOurs || uid !== process.getuid?.()) return;
  if (user !== undefined) {
    chownSync(path, uid, user.gid);
    chmodSync(path, 0o710);
  } else if ((mode & 0o007) !== 0) {
    chmodSync(path, 0o700);
  }
}

/**
 * Creates a folder with a short path for the unix socket. Its name is a hash of the data folder. The socket
 * accepts connections without a password, so the folder must be private.
 */
export function makeSocketFolder(dataDir: string, user: OperatingUser | undefined): string {
  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const name = `exchange-pg-${user?.uid ?? process.getuid?.() ?? 0}-${hash}`;
  const inTemporary = join(tmpdir(), name);
  const folder = isUsable(inTemporary, user) ? inTemporary : join("/tmp", name);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chownTo(user, folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = lstatSync(folder);
  const owner = user?.uid ?? process.getuid?.();
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${folder} must be a private folder of PostgreSQL's user. Remove it and start the service again.`,
    );
  }
  return folder;
}

const isUsable = (folder: string, user: OperatingUser | undefined): boolean =>
  Buffer.byteLength(folder + SOCKET_FILE) <= SOCKET_PATH_BYTES_MAX && canReach(user, folder);

/**
 * Returns the data folder as PostgreSQL's `-D` argument. When root runs it as a user that cannot pass a parent
 * folder (such as a checkout in /root), PostgreSQL reaches the folder through its working directory.
 */
export function dataDirArgument(dataDir: string, user: OperatingUser | undefined): string {
  if (canReach(user, dataDir)) return dataDir;
  if (process.platform === "linux") return "/proc/self/cwd";
  throw new Error(
    `PostgreSQL's user ${user?.uid} cannot reach ${dataDir}. Set EXCHANGE_DATA_DIR to a folder ` +
      "that it can reach, run the service as an ordinary user, or set DATABASE_URL.",
  );
}
