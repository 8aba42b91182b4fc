import type { Worker } from "node:cluster";
import { startDeadline } from "../deadline.ts";
import { type MetricsRegistry, readProcessMetrics, type Samples } from "../metrics/metrics.ts";

interface MetricsQuestion {
  readonly kind: "read_metrics";
  readonly id: number;
}
interface MetricsAnswer {
  readonly kind: "metrics";
  readonly id: number;
  readonly samples: readonly Samples[];
}

/** A process that does not answer in this time is left out, so that a hung one does not hide all others. */
const ANSWER_MS = 1_000;

let questions = 0;

/** Asks an API process for its samples. Returns none if it does not answer in time. */
export async function askForMetrics(worker: Worker): Promise<readonly Samples[]> {
  questions += 1;
  const question: MetricsQuestion = { kind: "read_metrics", id: questions };
  return new Promise((resolve) => {
    const take = (message: MetricsAnswer): void => {
      if (message.kind === "metrics" && message.id === question.id) end(message.samples);
    };
    const end = (samples: readonly Samples[]): void => {
      deadline.stop();
      worker.off("message", take);
      resolve(samples);
    };
    const deadline = startDeadline(ANSWER_MS, () => end([]));
    worker.on("message", take);
    worker.send(question, (error) => {
      if (error) end([]);
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
