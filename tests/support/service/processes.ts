import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

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
  const exited = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
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

/** Returns a TCP port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
