import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../storage/embedded/cluster.ts";

/**
 * What a running service says about itself in the data folder. Only words for a second copy's
 * message: whether a service runs is told by the lock in the database.
 */
export interface ServiceFile {
  readonly pid: number;
  readonly address: string;
  readonly state: "starting" | "running" | "stopping";
}

const pathIn = (dataDir: string): string => join(dataDir, "service.json");

export function writeServiceFile(dataDir: string, file: ServiceFile): void {
  const partial = `${pathIn(dataDir)}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(file)}\n`);
  renameSync(partial, pathIn(dataDir));
}

/** Undefined when there is none, or its process is gone. */
export function readServiceFile(dataDir: string): ServiceFile | undefined {
  try {
    const file: ServiceFile = JSON.parse(readFileSync(pathIn(dataDir), "utf8"));
    return isRunning(file.pid) ? file : undefined;
  } catch {
    return undefined;
  }
}

export function removeServiceFile(dataDir: string): void {
  if (readServiceFile(dataDir)?.pid === process.pid) rmSync(pathIn(dataDir), { force: true });
}
