import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/**
 * The marks that processes of this machine have seen, by installation. The file is in the data folder and not in
 * the database, so a restore of the database does not restore it.
 */
export interface HistoryFile {
  /** Returns undefined when the file has no mark of the installation. */
  read(installation: string): bigint | undefined;
  /** Returns whether the data folder was ever used with a database. */
  hasMarks(): boolean;
  /** Stores a mark, unless another process stored a higher one. */
  write(installation: string, mark: bigint): void;
}

/** The file's name in the data folder. */
export const HISTORY_FILE = "history.json";

export function openHistoryFile(dataDir: string): HistoryFile {
  const path = join(dataDir, HISTORY_FILE);
  const readAll = (): Record<string, string> => {
    try {
      const marks: unknown = JSON.parse(readFileSync(path, "utf8"));
      return typeof marks === "object" && marks !== null ? { ...marks } : {};
    } catch (error) {
      // A file that is cut off is replaced. It cannot be by our own writes, which rename a whole one.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT")
        return {};
      throw error;
    }
  };
  const read = (installation: string): bigint | undefined => {
    const mark = readAll()[installation];
    return typeof mark === "string" && /^[0-9]{1,18}$/.test(mark) ? BigInt(mark) : undefined;
  };
  return {
    read,
    hasMarks: () => Object.keys(readAll()).length > 0,
    write: (installation, mark) => {
      if ((read(installation) ?? -1n) >= mark) return;
      mkdirSync(dataDir, { recursive: true });
      const partial = `${path}.${process.pid}`;
      const file = openSync(partial, "w", 0o600);
      try {
        writeSync(file, `${JSON.stringify({ ...readAll(), [installation]: String(mark) })}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(partial, path);
    },
  };
}
