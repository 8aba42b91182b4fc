import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Running, run } from "../service/processes.ts";
import type { NodeNumber } from "./addresses.ts";
import type { Command } from "./programs.ts";
import { type NodeFolders, patroniSettings } from "./settings.ts";

/** A machine of the cluster: Patroni, and the PostgreSQL that it starts. */
export interface ClusterNode {
  readonly number: NodeNumber;
  readonly name: string;
  start(): void;
  /** Kills PostgreSQL alone, or the machine's programs, with SIGKILL. */
  kill(what: "PostgreSQL" | "everything"): void;
  freeze(): void;
  thaw(): void;
  output(): string;
  /** Resolves when Patroni has ended. */
  ended(): Promise<unknown>;
}

export interface NodeOptions extends NodeFolders {
  readonly patroni: Command;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** The passwords of deploy/patroni.yml's users, which Patroni reads from its environment. */
const PASSWORDS = {
  PATRONI_SUPERUSER_PASSWORD: "superuser",
  PATRONI_REPLICATION_PASSWORD: "replicator",
  PATRONI_REWIND_PASSWORD: "rewinder",
};
export const SUPERUSER_PASSWORD = PASSWORDS.PATRONI_SUPERUSER_PASSWORD;

export function makeNode(number: NodeNumber, options: NodeOptions): ClusterNode {
  const { folder, patroni, user } = options;
  const file = path.join(folder, `pg${number}.yml`);
  writeFileSync(file, patroniSettings(number, options));
  const env = { ...process.env, ...patroni.env, ...PASSWORDS, HOME: folder, LC_ALL: "C.UTF-8" };
  const outputs: Running[] = [];
  let running: Running | undefined;
  const postmaster = (): number[] => {
    try {
      const pidFile = path.join(folder, `pg${number}`, "postmaster.pid");
      return [Number(readFileSync(pidFile, "utf8").split("\n")[0])];
    } catch {
      return [];
    }
  };
  const all = (): readonly number[] => withDescendants([...postmaster(), ...pidOf(running)]);
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) sendSignal(pid, name);
  };
  return {
    number,
    name: `pg${number}`,
    start: () => {
      running = run([...patroni.words, file], { cwd: folder, env, ...user });
      outputs.push(running);
    },
    kill: (what) => signal(what === "everything" ? all() : postmaster(), "SIGKILL"),
    freeze: () => signal(all(), "SIGSTOP"),
    thaw: () => signal(all(), "SIGCONT"),
    output: () => outputs.map((each) => each.output()).join("\n"),
    ended: async () => running?.exited,
  };
}

const pidOf = (running: Running | undefined): number[] => (running ? [running.pid] : []);

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Returns the processes and all that descend from them. PostgreSQL's own are in sessions of their own. */
function withDescendants(roots: readonly number[]): readonly number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    const parent = /^\d+$/.test(entry) ? parentOf(entry) : undefined;
    if (parent !== undefined) parents.set(Number(entry), parent);
  }
  const found = new Set(roots.filter((pid) => parents.has(pid)));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function parentOf(pid: string): number | undefined {
  try {
    // The program's name is in brackets and may hold anything.
    const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?!.*\) )/);
    return Number(rest.split(" ")[1]);
  } catch {
    return undefined;
  }
}
