import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../storage/embedded/cluster.ts";

/**
 * The entry of a running service in its data folder, for the error message of a second copy. It does not
 * prove that a service runs: the lock in the database does.
 */
export interface PidFile {
  readonly pid: number;
  readonly address: string;
  readonly state: "starting" | "running" | "stopping";
}

const pathIn = (dataDir: string): string => join(dataDir, "service.json");

export function writePidFile(dataDir: string, file: PidFile): void {
  const partial = `${pathIn(dataDir)}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(file)}\n`);
  renameSync(partial, pathIn(dataDir));
}

/** Returns undefined when there is no file, or its process has ended. */
export function readPidFile(dataDir: string): PidFile | undefined {
  try {
    const file: PidFile = JSON.parse(readFileSync(pathIn(dataDir), "utf8"));
    return isRunning(file.pid) ? file : undefined;
  } catch {
    return undefined;
  }
}

export function removePidFile(dataDir: string): void {
  if (readPidFile(dataDir)?.pid === process.pid) rmSync(pathIn(dataDir), { force: true });
}
