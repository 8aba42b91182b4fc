import pg from "pg";
import { isFull } from "./shrinking-pool.ts";

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
  const isBusy = error.message === NO_FREE_CONNECTION || isFull(error);
  const Class = isBusy ? DatabaseBusy : DatabaseUnavailable;
  return new Class(message, { cause: error });
}

function messageOf(error: Error): string | undefined {
  const code = codeOf(error) ?? "";
  if (error instanceof pg.DatabaseError) {
    if (code === READ_ONLY) return "The database is read-only.";
    if (isFull(error)) return "The database accepts no more connections.";
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

/** The kinds of failures that an operator tells apart. */
export const DATABASE_ERROR_CLASSES = [
  "busy",
  "unavailable",
  "conflict",
  "timeout",
  "full",
  "refused",
  "other",
] as const;
export type DatabaseErrorClass = (typeof DATABASE_ERROR_CLASSES)[number];

const CLASSES: readonly (readonly [RegExp, DatabaseErrorClass])[] = [
  [/^40/, "conflict"],
  [/^(?:57014|55P03)$/, "timeout"],
  [/^53/, "full"],
  [/^(?:23|P0001|42501)/, "refused"],
];

/** Returns the class of a failure of the database. Undefined for errors of the caller's own work. */
export function classOfError(error: unknown): DatabaseErrorClass | undefined {
  if (error instanceof DatabaseBusy) return "busy";
  if (error instanceof DatabaseUnavailable) return "unavailable";
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const code = codeOf(error) ?? "";
  return CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? "other";
}
