import type { Logger } from "pino";

/** The time that an ordered stop may take after an unhandled error. */
const STOP_DEADLINE_MS = 15_000;

/**
 * Makes an error that nothing handled end the process: one line in the log, an ordered stop, exit status 1. The
 * process is in an unknown state, and its supervisor starts another.
 */
export function exitOnUnhandledErrors(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const end = (): never => process.exit(1);
  const fail = (origin: string) => (error: unknown) => {
    log.fatal({ err: error, origin }, "unhandled error, stopping");
    if (isStopping) return;
    isStopping = true;
    setTimeout(end, STOP_DEADLINE_MS);
    stop().then(end, end);
  };
  process.on("uncaughtException", fail("uncaughtException"));
  process.on("unhandledRejection", fail("unhandledRejection"));
}
