import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Returns the processor time that a process has used; undefined where there is no /proc. */
export const cpuMsOf = async (pid) => (await cpuTimesOf(pid))?.own;

/** Returns the time of the process itself, and of its children that have ended. */
async function cpuTimesOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before it, in brackets, may hold anything.
  const [user, system, userOfEnded, systemOfEnded] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
  return {
    own: (user + system) * MS_PER_TICK,
    ended: (userOfEnded + systemOfEnded) * MS_PER_TICK,
  };
}

/** Returns the processor time of a process and of all that it started, such as PostgreSQL's backends. */
export async function cpuMsOfFamily(pid) {
  const parent = await cpuTimesOf(pid);
  if (parent === undefined) return undefined;
  const alive = await Promise.all((await childrenOf(pid)).map(cpuMsOf));
  return alive.reduce((sum, each) => sum + (each ?? 0), parent.own + parent.ended);
}

/** Returns the ids of the processes that it started; none where there is no /proc. */
export async function childrenOf(pid) {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

/** Adds `cpuUs` to a load: the processor time of the process, in microseconds a request. */
export const withCpu = (pid, measure) => withCpuOf(() => cpuMsOf(pid), measure);

/** Adds `cpuUs` to a load from a clock of processor time, `readMs`. */
export async function withCpuOf(readMs, measure) {
  const before = await readMs();
  const result = await measure();
  const usedMs = (await readMs()) - before;
  if (result === undefined || Number.isNaN(usedMs)) return result;
  return { ...result, cpuUs: (usedMs * 1_000) / result.requests };
}

/** Returns the resident memory of the process and of the Node processes below it, in megabytes. */
export async function nodeMemoryMb(pid) {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="]);
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)?.slice(1) ?? [])
    .map(([id, parent, kb, name]) => ({
      id: Number(id),
      parent: Number(parent),
      kb: Number(kb),
      name,
    }));
  const below = (id) =>
    processes.filter(({ parent }) => parent === id).flatMap((child) => [child, ...below(child.id)]);
  const own = processes.filter(({ id }) => id === pid);
  const nodes = [...own, ...below(pid)].filter(({ name }) => /(^|\/)(node|exchange)/.test(name));
  return nodes.reduce((sum, { kb }) => sum + kb, 0) / 1_024;
}
