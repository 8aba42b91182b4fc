import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

const START_TIMEOUT_MS = 60_000;

/** A half of the service: `front` answers requests, `workers` run jobs and webhooks. */
export type Half = "front" | "workers";

/** A process of the service that kills itself at a failpoint. */
export interface DoomedProcess {
  /** Resolves with how it ended; after that nothing of it runs. */
  readonly ended: Promise<string>;
  /** The failpoints that it has passed, each once. */
  readonly passed: Set<string>;
  arm(failpoint: string): Promise<void>;
  /** Carries out an operator's decision about an order in review. */
  decide(
    decision: "release" | "refund",
    order: { readonly merchantId: string; readonly orderId: number },
  ): Promise<void>;
  kill(): Promise<void>;
}

/** The script of a service, its settings, and the failpoint that is armed when it starts. */
export interface DoomedService {
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  readonly armed?: string;
}

type Message = { readonly ready?: string; readonly passed?: string; readonly done?: number };

/**
 * Starts one and waits until it is ready, or has died at the armed failpoint. Rejects with what it printed when it
 * cannot start.
 */
export async function startDoomed(half: Half, service: DoomedService): Promise<DoomedProcess> {
  const child = fork(service.script, [half, service.armed ?? ""], {
    env: service.env,
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
    });
  }
  const ended = once(child, "exit").then(([code, signal]) => String(signal ?? code));
  const passed = new Set<string>();
  child.on("message", (message: Message) => {
    if (message.passed !== undefined) passed.add(message.passed);
  });
  await whenReady(child, { mayDie: service.armed !== undefined, printed: () => printed });
  const send = makeSender(child, ended);
  return {
    ended,
    passed,
    arm: (failpoint) => send({ arm: failpoint }),
    decide: (decision, order) => send({ decide: decision, ...order }),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Start {
  readonly mayDie: boolean;
  readonly printed: () => string;
}

function whenReady(child: ChildProcess, { mayDie, printed }: Start): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${why}; it printed:\n${printed()}`));
    const timer = setTimeout(() => fail("the service was not ready in time"), START_TIMEOUT_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    child.once("exit", (code, signal) => {
      if (mayDie && signal === "SIGKILL") end();
      else fail(`the service ended (${signal ?? code})`);
    });
    child.on("message", ({ ready }: Message) => {
      if (ready !== undefined) end();
    });
  });
}

/** Returns a function that sends a message and waits for its confirmation, or for the end of the process. */
function makeSender(child: ChildProcess, ended: Promise<string>) {
  let last = 0;
  return async (message: Readonly<Record<string, unknown>>): Promise<void> => {
    last += 1;
    const id = last;
    const done = new Promise<void>((resolve) => {
      const listen = (answer: Message): void => {
        if (answer.done !== id) return;
        child.off("message", listen);
        resolve();
      };
      child.on("message", listen);
    });
    // A process that has just died takes no message. Its end is awaited instead.
    child.send({ ...message, id }, () => {});
    await Promise.race([done, ended]);
  };
}
