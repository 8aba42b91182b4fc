import { resolve, sep } from "node:path";
import { findDatabaseError } from "./repeated-failures.ts";

/** A fault of the machine or of the database's role that an operator mends: what was found, and what to do. */
export interface MachineFault {
  readonly found: string;
  readonly fix: string;
}

const OTHER_USER = ["this user may not use it", "Run this as the user that owns it"] as const;
const NOT_A_FOLDER = ["a part of it is a file and not a folder", "Correct the path"] as const;
const PATH_FAULTS: Readonly<Record<string, readonly [found: string, fix: string]>> = {
  EACCES: OTHER_USER,
  EPERM: OTHER_USER,
  EROFS: ["its disk is read-only", "Make the disk writable"],
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
  EISDIR: ["it is a folder and not a file", "Correct the path"],
  ENOENT: ["it or its folder does not exist", "Create it"],
  ENOSPC: ["its disk is full", "Make room on it"],
};

/** SQLSTATE: the role lacks a right, or sees no schema to make a table in. */
const NO_RIGHT = new Set(["42501", "3F000"]);

/** The folder of the service's own files. A fault of one of them is not the operator's. */
const PROGRAM = resolve(import.meta.dirname, "../..") + sep;

/** Returns the fault if the error is one. The stack of any other error is needed, such as of a program that is missing. */
export function findMachineFault(error: unknown): MachineFault | undefined {
  const { code = "", path, syscall = "" } = error as NodeJS.ErrnoException;
  const isOurs = syscall.startsWith("spawn") || path?.startsWith(PROGRAM) === true;
  const [found, fix] = PATH_FAULTS[code] ?? [];
  if (path !== undefined && found !== undefined && !isOurs) {
    return {
      found: `${path} cannot be used: ${found} (${code})`,
      fix: `${fix}, or name another one: EXCHANGE_DATA_DIR is the data folder, and EXCHANGE_SECRET_KEYS_FILE the file of the secret keys.`,
    };
  }
  const refused = findDatabaseError(error);
  if (refused?.code === undefined || !NO_RIGHT.has(refused.code)) return undefined;
  return {
    found: `The role of DATABASE_URL lacks a right: ${refused.message}`,
    fix:
      "Use the owner of the database, or a role for which its owner ran `exchange database grants ROLE` " +
      "(docs/operating/install.md#separate-the-owner-of-the-tables-from-the-service).",
  };
}

/** Returns the fault as text, or undefined. */
export function describeMachineFault(error: unknown): string | undefined {
  const fault = findMachineFault(error);
  return fault && `${fault.found}. ${fault.fix}`;
}
