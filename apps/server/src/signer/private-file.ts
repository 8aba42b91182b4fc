import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SignerError } from "./signer-error.ts";

/** Reads a file that only its owner may have access to. Throws a `SignerError` with the command that mends it. */
export function readPrivateFile(path: string): string {
  requirePrivateFile(path);
  return readFileSync(path, "utf8");
}

/** Throws unless the path is a plain file of this process's user that nobody else may read or write. */
export function requirePrivateFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new SignerError(`${path} does not exist.`);
  if (!stats.isFile()) {
    throw new SignerError(
      `${path} is not a plain file. Links are not followed: name the file itself.`,
    );
  }
  const user = process.getuid?.();
  if (user !== undefined && stats.uid !== user) {
    throw new SignerError(
      `${path} belongs to another user. It must belong to the user that runs this.`,
    );
  }
  if ((stats.mode & 0o077) !== 0) {
    throw new SignerError(`${path} can be used by others than its owner. Run: chmod 600 ${path}`);
  }
}

/** Throws if others than the owner could replace files of the folder. `remedy` says how a missing one is made. */
export function requireClosedFolder(path: string, remedy: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw new SignerError(`${path} is not a folder. ${remedy}`);
  if ((stats.mode & 0o022) !== 0) {
    throw new SignerError(`Others may write in the folder ${path}. Run: chmod go-w ${path}`);
  }
}

/** Makes a file that only its owner may use. An existing file is never written over. */
export function makePrivateFile(path: string, text: string): void {
  const file = openNew(path);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new SignerError(`${path} exists already and is not written over. Name another file.`);
  }
}

/** Without it a new file's name may be lost in a power failure although its content was flushed. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
