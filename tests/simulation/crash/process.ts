import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

const START_TIMEOUT_MS = 60_000;

/** A half of the service: what answers requests, or what works through jobs and webhooks. */
export type Half = "front" | "workers";

/** A process of the service that can be told where to die. */
export interface DoomedProcess {
  /** Resolves with how it ended; after that nothing of it runs. */
  readonly ended: Promise<string>;
  arm(failpoint: string): Promise<void>;
  /** What an operator decides about an order in review. */
  decide(
    decision: "release" | "refund",
    order: { readonly merchantId: string; readonly orderId: number },
  ): Promise<void>;
  /** The places it passes from now on, each once. */
  watch(): Promise<ReadonlySet<string>>;
  kill(): Promise<void>;
}

/** What is started, and its settings. */
export interface DoomedService {
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
}

type Message = { readonly ready?: string; readonly passed?: string; readonly done?: number };

/** Starts one and waits until it is ready. Rejects with what it printed when it cannot. */
export async function startDoomed(half: Half, service: DoomedService): Promise<DoomedProcess> {
  const child = fork(service.script, [half], {
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
  await whenReady(child, passed, () => printed);
  const tell = makeTell(child, ended);
  return {
    ended,
    arm: (failpoint) => tell({ arm: failpoint }),
    decide: (decision, order) => tell({ decide: decision, ...order }),
    watch: async () => {
      passed.clear();
      await tell({ watch: true });
      return passed;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function whenReady(child: ChildProcess, passed: Set<string>, printed: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${why}; it printed:\n${printed()}`));
    const timer = setTimeout(() => fail("the service was not ready in time"), START_TIMEOUT_MS);
    child.once("exit", (code, signal) => fail(`the service ended (${signal ?? code})`));
    child.on("message", (message: Message) => {
      if (message.passed !== undefined) passed.add(message.passed);
      if (message.ready === undefined) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Tells it something and waits for its word, or for its end. */
function makeTell(child: ChildProcess, ended: Promise<string>) {
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
    child.send({ ...message, id });
    await Promise.race([done, ended]);
  };
}
