import type { Worker } from "node:cluster";
import { startDeadline } from "../deadline.ts";
import {
  addUp,
  isCount,
  type MetricsRegistry,
  readProcessMetrics,
  type Samples,
} from "../metrics/metrics.ts";

interface MetricsQuestion {
  readonly kind: "read_metrics";
  readonly id: number;
}
interface MetricsAnswer {
  readonly kind: "metrics";
  readonly id: number;
  readonly samples: readonly Samples[];
}

/** The gauges of a process that does not answer in this time are left out, so that a hung one does not hide all others. */
const ANSWER_MS = 1_000;

let questions = 0;

export interface ApiSamples {
  /** Returns the samples of the processes, and the counts of those that have ended. */
  read(running: Iterable<Worker>): Promise<Samples>;
  noteEnd(worker: Worker): void;
}

/**
 * Remembers what each API process has counted. Without the counts of one that ended or does not answer, sums would go down.
 * Prometheus takes a lower sum for a new start from zero, and would count the others' events again.
 */
export function makeApiSamples(): ApiSamples {
  const counted = new Map<Worker, Samples>();
  let ended: Promise<Samples> = Promise.resolve([]);
  const samplesOf = async (worker: Worker): Promise<Samples> => {
    const earlier = counted.get(worker) ?? [];
    const samples = await askForMetrics(worker);
    if (samples === undefined || worker.isDead()) return earlier;
    counted.set(worker, samples.filter(isCount));
    return samples;
  };
  return {
    read: async (running) => {
      // A process that ends while another is asked is not counted twice.
      const endedBefore = ended;
      const all = await Promise.all([...running].map(samplesOf));
      return [...all.flat(), ...(await endedBefore)];
    },
    noteEnd: (worker) => {
      const counts = counted.get(worker) ?? [];
      counted.delete(worker);
      ended = ended.then((earlier) => addUp([earlier, counts]));
    },
  };
}

/** Asks an API process for its samples. Returns undefined if it does not answer in time. */
async function askForMetrics(worker: Worker): Promise<Samples | undefined> {
  questions += 1;
  const question: MetricsQuestion = { kind: "read_metrics", id: questions };
  return new Promise((resolve) => {
    const take = (message: MetricsAnswer): void => {
      if (message.kind === "metrics" && message.id === question.id) end(message.samples);
    };
    const end = (samples?: readonly Samples[]): void => {
      deadline.stop();
      worker.off("message", take);
      resolve(samples?.flat());
    };
    const deadline = startDeadline(ANSWER_MS, () => end());
    worker.on("message", take);
    worker.send(question, (error) => {
      if (error) end();
    });
  });
}

/** Answers the main process's questions. */
export function answerMetrics(registry: Pick<MetricsRegistry, "read">): void {
  process.on("message", async ({ kind, id }: MetricsQuestion) => {
    if (kind !== "read_metrics") return;
    const samples = await Promise.all([registry.read(), readProcessMetrics()]);
    // A main process that has ended reads no answer.
    process.send?.({ kind: "metrics", id, samples } satisfies MetricsAnswer, () => {});
  });
}
