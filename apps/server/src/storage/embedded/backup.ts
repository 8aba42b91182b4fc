import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beginBackup } from "../postgres/backup-session.ts";
import type { DatabaseOptions } from "../postgres/database.ts";
import { type Checksums, copyFiles, listTree, syncFolder, writeNewFile } from "./copied-files.ts";
import { chooseOperatingUser, chownTo } from "./operating-user.ts";

/** The folder of a backup that has the database, and the file that describes it. */
const DATABASE = "postgres";
const MANIFEST = "backup.json";

/** The file beside the database's folder that says when the last backup was made. */
const LAST = "last-backup.json";

/** Files of the running server, which a restored one makes again. */
const OF_THE_SERVER =
  /^(?:postmaster\.(?:pid|opts)|server\.log.*|backup_label.*|tablespace_map.*)$/;
/** Folders whose contents belong to the running server. The log is copied when the backup ends. */
const EMPTY_FOLDERS =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
const TEMPORARY = /(?:^|\/)(?:pgsql_tmp|pg_internal\.init)/;

const isSkipped = (path: string): boolean =>
  OF_THE_SERVER.test(path) || EMPTY_FOLDERS.test(path) || TEMPORARY.test(path);

export interface Backup {
  readonly folder: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The major version of PostgreSQL that can read it. */
  readonly major: string;
  readonly files: Checksums;
}

/** A copy cannot be used: it was changed, it is cut off, or it is not a backup. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BackupError";
  }
}

/**
 * Copies a running embedded server into a new folder below `to`, named by the time. The folder gets its name when
 * everything is on the disk, so a folder with such a name is whole.
 */
export async function backUp(
  source: { readonly dataDir: string; readonly connection: DatabaseOptions },
  to: string,
  now: () => Date,
): Promise<Backup> {
  const startedAt = now().toISOString();
  const name = startedAt.replaceAll(/[:.]/g, "-");
  const folder = join(to, name);
  const partial = `${folder}.partial`;
  await mkdir(to, { recursive: true, mode: 0o700 });
  await removePartial(to);
  const copy = join(partial, DATABASE);
  const session = await beginBackup(source.connection, `exchange ${name}`);
  try {
    const tree = await listTree(source.dataDir, isSkipped);
    const copied = await copyFiles(source.dataDir, copy, tree);
    const { label, firstSegment, lastSegment } = await session.finish();
    const isNeeded = (segment: string): boolean =>
      /^[0-9A-F]{24}$/.test(segment) && segment >= firstSegment && segment <= lastSegment;
    const log = (await readdir(join(source.dataDir, "pg_wal"))).filter(isNeeded);
    const segments = { folders: [], files: log.map((segment) => `pg_wal/${segment}`) };
    const logged = await copyFiles(source.dataDir, copy, segments);
    await writeNewFile(join(copy, "backup_label"), label);
    const files = { ...copied, ...logged, backup_label: sha256(label) };
    const major = (await readFile(join(copy, "PG_VERSION"), "utf8")).trim();
    const finishedAt = now().toISOString();
    const manifest = { startedAt, finishedAt, major, files };
    await writeNewFile(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    for (const each of [copy, partial]) await syncFolder(each);
    await rename(partial, folder);
    await syncFolder(to);
    return { folder, ...manifest };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await session.close();
  }
}

/** Notes the backup in the data folder of the service, where `exchange doctor` reads it. No metric and no alert has it. */
export async function noteBackup(
  serviceDir: string,
  { folder, finishedAt }: Backup,
): Promise<void> {
  const path = join(serviceDir, LAST);
  await rm(`${path}.new`, { force: true });
  await writeNewFile(`${path}.new`, `${JSON.stringify({ folder, finishedAt })}\n`);
  await rename(`${path}.new`, path);
}

/** Returns when the last backup was finished; undefined when there is none. */
export async function readLastBackup(serviceDir: string): Promise<Date | undefined> {
  try {
    const { finishedAt } = JSON.parse(await readFile(join(serviceDir, LAST), "utf8"));
    return new Date(finishedAt);
  } catch {
    return undefined;
  }
}

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/** Removes what a backup that was killed left. Two backups into one folder do not run at the same time. */
async function removePartial(to: string): Promise<void> {
  for (const name of await readdir(to)) {
    if (!name.endsWith(".partial") || !NAME.test(name.slice(0, -".partial".length))) continue;
    await rm(join(to, name), { recursive: true, force: true });
  }
}

/** Removes the oldest backups of a folder beyond a number. Returns the names of the removed ones. */
export async function removeOldBackups(to: string, keep: number): Promise<string[]> {
  const names = (await readdir(to)).filter((name) => NAME.test(name)).sort();
  const old = names.slice(0, Math.max(0, names.length - keep));
  for (const name of old) await rm(join(to, name), { recursive: true });
  return old;
}

/**
 * Copies a backup into a new data folder, and compares every file with its checksum. Throws a `BackupError` for a copy
 * that is not whole. The folder gets its name at the end.
 */
export async function restoreBackup(from: string, dataDir: string): Promise<Backup> {
  const backup = await readBackup(from);
  const user = chooseOperatingUser(dataDir);
  const partial = `${dataDir}.partial-${process.pid}`;
  const source = join(from, DATABASE);
  try {
    await mkdir(dirname(dataDir), { recursive: true, mode: 0o700 });
    const tree = await listTree(source);
    const copied = await copyFiles(source, partial, tree);
    requireSame(backup.files, copied);
    for (const path of ["", ...tree.folders, ...tree.files]) chownTo(user, join(partial, path));
    await rename(partial, dataDir);
    await syncFolder(dirname(dataDir));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return backup;
}

async function readBackup(from: string): Promise<Backup> {
  const path = join(from, MANIFEST);
  try {
    const { startedAt, finishedAt, major, files } = JSON.parse(await readFile(path, "utf8"));
    return { folder: from, startedAt, finishedAt, major, files };
  } catch (error) {
    throw new BackupError(
      `${from} is not a backup: ${(error as Error).message}. Name a folder that "exchange backup" made, such as 2027-01-31T12-00-00-000Z.`,
    );
  }
}

function requireSame(expected: Checksums, found: Checksums): void {
  const paths = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const wrong = [...paths].filter((path) => expected[path] !== found[path]);
  if (wrong.length === 0) return;
  throw new BackupError(
    `${wrong.length} files of the backup are missing or changed, such as ${wrong[0]}. Use another backup.`,
  );
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
