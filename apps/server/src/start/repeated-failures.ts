/** How often a failure that goes on is logged again. */
const REPEAT_MS = 60_000;
/** Failures beyond this number of different ones are logged each time. */
const DIFFERENT_MAX = 500;

/** SQLSTATE: the role lacks a right. The message names the table. */
const NO_RIGHT = "42501";
/** SQLSTATE classes of a machine that lacks something. Their messages name files, and differ each time. */
const LASTING = /^(5[38]|42501$)/;

/** An error as PostgreSQL reported it. */
export type DatabaseError = Error & { readonly code?: string };

/** Returns the error that PostgreSQL reported: the error itself, or one of its causes. */
export function findDatabaseError(error: unknown): DatabaseError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { severity, routine } = error as { severity?: unknown; routine?: unknown };
  if (severity !== undefined && routine !== undefined) return error;
  return findDatabaseError(error.cause);
}

/** Writes a call of the log. The number of repeats since the last line is part of the line where it is given. */
export type WriteLine = (repeats?: number) => void;

/**
 * A database that refuses writes fails every attempt of every job. Each failure is written at once the first time, and
 * then once a minute with the number of its repeats. After a minute without one it counts as new.
 */
export function makeRepeatLimit(): (cause: DatabaseError, line: unknown, write: WriteLine) => void {
  const repeated = new Map<string, { repeats: number; write: WriteLine }>();
  const watch = (key: string): void => {
    const timer = setTimeout(() => {
      const failure = repeated.get(key);
      repeated.delete(key);
      if (failure === undefined || failure.repeats === 0) return;
      failure.write(failure.repeats);
      repeated.set(key, { ...failure, repeats: 0 });
      watch(key);
    }, REPEAT_MS);
    timer.unref();
  };
  return ({ code = "", message }, line, write) => {
    if (!LASTING.test(code)) return write();
    const key = JSON.stringify([line, code, code === NO_RIGHT ? message : ""]);
    const failure = repeated.get(key);
    if (failure !== undefined) {
      failure.repeats += 1;
      failure.write = write;
      return;
    }
    write();
    if (repeated.size >= DIFFERENT_MAX) return;
    repeated.set(key, { repeats: 0, write });
    watch(key);
  };
}
