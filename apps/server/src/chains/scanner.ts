import { setTimeout as sleep } from "node:timers/promises";
import { noteScanProblem, releaseCursor, ScanOvertaken } from "../storage/chains/cursors.ts";
import { STOP_REASON_CHARACTERS_MAX } from "../storage/payouts/network-stops.ts";
import { putStop } from "../storage/payouts/stops.ts";
import { newScan, type Scan, type ScanParts } from "./scan.ts";
import { DeepReorganisation, scanStep } from "./scan-step.ts";

export interface Scanner {
  /** Finishes the running step, and releases the lease so that another process can follow the network. */
  stop(): Promise<void>;
}

/** After faults the pause doubles up to this. */
const PAUSE_MAX_MS = 60_000;

/** Follows one network. Of all processes that share the database, one at a time does. */
export function startScanner(parts: ScanParts): Scanner {
  const scan = newScan(parts);
  const stopped = new AbortController();
  const loop = async (): Promise<void> => {
    let faults = 0;
    while (!stopped.signal.aborted) {
      const outcome = await scanOnce(scan);
      faults = outcome === "failed" ? faults + 1 : 0;
      const pauseMs = Math.min(scan.settings.pollMs * 2 ** Math.min(faults, 10), PAUSE_MAX_MS);
      // Aborting ends the pause early, with an error that says nothing more.
      if (outcome !== "more") {
        await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => {});
      }
    }
    await releaseCursor(scan.database, scan).catch(() => {});
    await scan.reader.close();
  };
  const finished = loop();
  return {
    stop: () => {
      stopped.abort();
      return finished;
    },
  };
}

/** Makes one step, and records why it failed. A step that failed wrote nothing and is made again. */
export async function scanOnce(scan: Scan): Promise<"more" | "done" | "failed"> {
  try {
    const hasMore = await scanStep(scan);
    await noteScanProblem(scan.database, scan, null);
    return hasMore ? "more" : "done";
  } catch (error) {
    if (error instanceof ScanOvertaken) return "done";
    await report(scan, error as Error).catch((failure: unknown) => {
      scan.log.warn({ err: failure, network: scan.networkCode }, "a scan could not be reported");
    });
    return "failed";
  }
}

async function report(scan: Scan, error: Error): Promise<void> {
  const { database, networkCode, log } = scan;
  await noteScanProblem(database, scan, error.message);
  if (!(error instanceof DeepReorganisation)) {
    log.warn({ err: error, network: networkCode }, "a network could not be read, retrying");
    return;
  }
  log.error({ err: error, network: networkCode }, "a network lost final blocks; payouts stopped");
  await putStop(database, {
    kind: "rail",
    subject: `chain:${networkCode}`,
    reason: error.message.slice(0, STOP_REASON_CHARACTERS_MAX),
    setBy: "system",
    peopleToResume: 2,
  });
}
