import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

/** A process group that a test started, and its output. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Returns the output so far, both streams in the order of arrival. */
  output(): string;
  /** Resolves with the first match; rejects with the output when the process ends or time is up. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
  signalGroup(name: NodeJS.Signals): void;
}

interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user that runs it; the one of this process by default. */
  readonly uid?: number;
  readonly gid?: number;
}

const WAIT_MS_DEFAULT = 300_000;

/** Starts a command in a process group of its own, so that a test can kill all of it at once. */
export function run(command: readonly string[], options: RunOptions): Running {
  const [file = "", ...args] = command;
  const child = spawn(file, args, {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const listeners = new Set<() => void>();
  const collect = (chunk: Buffer): void => {
    output += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  // The end may be known before the last output, which the next turn reads.
  const exited = once(child, "exit").then(async ([code, signal]) => {
    await turn();
    await turn();
    return (code ?? signal) as number | string;
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    child,
    exited,
    output: () => output,
    waitFor: (pattern, timeoutMs = WAIT_MS_DEFAULT) =>
      new Promise((resolve, reject) => {
        const fail = (why: string): void => {
          listeners.delete(look);
          clearTimeout(timer);
          reject(new Error(`${why} before ${pattern} was seen; output:\n${output}`));
        };
        const look = (): void => {
          const match = pattern.exec(output);
          if (!match) return;
          listeners.delete(look);
          clearTimeout(timer);
          resolve(match);
        };
        const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
        listeners.add(look);
        void exited.then((status) => {
          look();
          fail(`the process ended (${status})`);
        });
        look();
      }),
    signal: (name) => child.kill(name),
    signalGroup: (name) => {
      try {
        process.kill(-pid, name);
      } catch {
        // The whole group has ended already.
      }
    },
  };
}

/** By default Linux gives none of these ports to a socket that names none. Each worker of Vitest takes its own part. */
const PORTS = { first: 20_000, ofWorker: 375, workers: 32 } as const;
let last = randomInt(PORTS.ofWorker);

/** Returns a TCP port that is free. No other test takes it before it is used. */
export async function freePort(): Promise<number> {
  const part = Number(process.env["VITEST_POOL_ID"] ?? 0) % PORTS.workers;
  for (;;) {
    last = (last + 1) % PORTS.ofWorker;
    const port = PORTS.first + part * PORTS.ofWorker + last;
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
