import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { vi } from "vitest";
import { run } from "../service/processes.ts";

const execute = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("machine.sh", import.meta.url));
const NAMESPACES = ["--mount", "--pid", "--uts", "--ipc", "--cgroup"];

/** A machine that systemd runs. It has the network, the programs and the files of this one, and none of its services. */
export interface Machine {
  /** Its root folder, as this machine sees it. */
  readonly root: string;
  /** Runs a program on it as root, and resolves with its output. Throws its errors when it fails. */
  run(...command: readonly string[]): Promise<string>;
  /** Ends every process of it. Its changes are gone. */
  discard(): Promise<void>;
}

/** Starts a machine. `systemd` is the path of the program. Needs root. */
export async function startMachine(systemd: string): Promise<Machine> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-machine-"));
  const group = path.join(await findControlGroups(), path.basename(folder));
  await mkdir(group);
  const enter = `echo $$ > "$0/cgroup.procs" && exec unshare --fork --kill-child ${NAMESPACES.join(" ")} sh "$@"`;
  const unshare = run(["sh", "-c", enter, group, SCRIPT, folder, systemd], {
    cwd: "/",
    env: { PATH: process.env["PATH"] },
  });
  const discard = async (): Promise<void> => {
    unshare.signalGroup("SIGKILL");
    await unshare.exited;
    // The groups are empty once the kernel has ended the last process of the namespace.
    await vi.waitUntil(() => removeGroups(group).catch(() => false), { timeout: 60_000 });
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const pid = await vi.waitUntil(() => firstChildOf(unshare.pid), { timeout: 60_000 });
    const namespaces = [`--target=${pid}`, ...NAMESPACES, "--root"];
    const inside = async (...command: readonly string[]): Promise<string> => {
      const args = [...namespaces, "sh", "-c", 'cd / && exec "$@"', "sh", ...command];
      return (await execute("nsenter", args, { env: { PATH: MACHINE_PATH } })).stdout.trim();
    };
    const isRunning = () => inside("systemctl", "is-system-running").catch(() => undefined);
    await vi.waitUntil(isRunning, { timeout: 60_000, interval: 100 });
    return { root: `/proc/${pid}/root`, run: inside, discard };
  } catch (error) {
    await discard();
    throw new Error(`systemd did not start: ${unshare.output()}`, { cause: error });
  }
}

const MACHINE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the folder of the control groups of version 2. A machine may have those of version 1 beside them. */
async function findControlGroups(): Promise<string> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n");
  const mount = mounts.map((line) => line.split(" ")).find(([, , type]) => type === "cgroup2");
  if (mount?.[1] === undefined) throw new Error("This kernel has no control groups of version 2.");
  return mount[1];
}

async function firstChildOf(pid: number): Promise<string | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return children.split(" ")[0] || undefined;
}

async function removeGroups(group: string): Promise<true> {
  const entries = await readdir(group, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) await removeGroups(path.join(group, entry.name));
  }
  await rmdir(group);
  return true;
}
