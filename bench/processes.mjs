import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time the process has used so far; undefined where there is no /proc. */
export async function cpuMsOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before it, in brackets, may hold anything.
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * MS_PER_TICK;
}

/** What the load cost the process: `cpuUs`, microseconds a request, beside what `measure` gives. */
export async function withCpu(pid, measure) {
  const before = await cpuMsOf(pid);
  const result = await measure();
  const after = await cpuMsOf(pid);
  if (before === undefined || after === undefined) return result;
  return { ...result, cpuUs: ((after - before) * 1_000) / result.requests };
}

/** Megabytes that the process and the Node processes below it hold in memory. */
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
