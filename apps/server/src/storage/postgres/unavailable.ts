import pg from "pg";

/**
 * The database cannot serve this now: it is away, a standby, or overloaded. The caller may try again. A commit
 * that fails with this error may have taken place. The message names no host, so it may be shown to anybody.
 */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseUnavailable";
  }

  /** The driver's words, for the log. */
  get reason(): string {
    return this.cause instanceof Error ? wordsOf(this.cause) : this.message;
  }
}

/** A limit on connections or waiting statements was reached. The database itself may be well. */
export class DatabaseBusy extends DatabaseUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseBusy";
  }
}

/** The words with which pg and pg-pool report a deadline. They have no code for it. */
const NO_FREE_CONNECTION = "timeout exceeded when trying to connect";
const DEADLINES = new Set([
  "timeout expired",
  "Connection terminated due to connection timeout",
  "Query read timeout",
]);
const READ_ONLY = "25006";
const TOO_MANY_CONNECTIONS = "53300";
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: the server stops, or starts. */
const STOPPING = new Set(["57P01", "57P02", "57P03"]);
/** A connection failed, or the server ended one that was idle for too long. */
const CONNECTION_ENDED = /^(?:08|57P05$|25P03$)/;

/**
 * Returns the driver's error. It is a `DatabaseUnavailable` if the database or the way to it is at fault. The
 * driver reports a broken connection as a plain error, or as an error of the system.
 */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !(error instanceof Error)) return error;
  const message = messageOf(error);
  if (message === undefined) return error;
  const isBusy = error.message === NO_FREE_CONNECTION || codeOf(error) === TOO_MANY_CONNECTIONS;
  const Class = isBusy ? DatabaseBusy : DatabaseUnavailable;
  return new Class(message, { cause: error });
}

function messageOf(error: Error): string | undefined {
  const code = codeOf(error) ?? "";
  if (error instanceof pg.DatabaseError) {
    if (code === READ_ONLY) return "The database is read-only.";
    if (code === TOO_MANY_CONNECTIONS) return "The database accepts no more connections.";
    if (STOPPING.has(code)) return "The database is stopping or starting.";
    return CONNECTION_ENDED.test(code) ? "The connection to the database ended." : undefined;
  }
  // The driver cannot write a parameter.
  if (error instanceof TypeError || error instanceof RangeError) return undefined;
  if (error.message === NO_FREE_CONNECTION) return "All connections to the database are in use.";
  if (DEADLINES.has(error.message) || code === "ETIMEDOUT") return "The database does not answer.";
  return code === "" ? "The connection to the database ended." : "The database cannot be reached.";
}

/** An attempt at both addresses of `localhost` fails with an error without a message. */
function wordsOf(error: Error): string {
  return error.message || codeOf(error) || "no answer";
}

const codeOf = (error: unknown): string | undefined =>
  (error as { readonly code?: string } | null)?.code;
