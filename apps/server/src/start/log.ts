import {
  destination,
  type LevelWithSilentOrString,
  type Logger,
  type LoggerOptions,
  pino,
  type SerializedError,
  stdSerializers,
} from "pino";
import type { Metrics } from "../metrics/metrics.ts";
import type { DatabaseReport } from "../storage/postgres/database.ts";
import { DATABASE_ERROR_CLASSES, DatabaseUnavailable } from "../storage/postgres/unavailable.ts";

/** Members that may hold a credential, at the top of an entry and one level below. */
const SECRETS = [
  "apiKey",
  "accessToken",
  "token",
  "secret",
  "authorization",
  "['x-api-key']",
  "headers.authorization",
  "headers['x-api-key']",
  "body",
];

/** pino's number of the level. */
const LEVEL_FATAL = 60;

/** Members of PostgreSQL's errors that may hold values of a row, such as a name or an address. */
const ROW_VALUES = ["detail", "where", "hint", "internalQuery", "query", "parameters"];
/**
 * The messages of SQLSTATE class 22 (data exception) quote the value that could not be read. The value may itself have
 * quotes and line ends.
 */
const CLASS_OF_VALUES = /^22/;
const FROM_FIRST_QUOTE = /"[^]*/;

/** Describes an error without values of the database's rows. Other errors keep all of their members. */
function describeError(error: Error): SerializedError {
  const described = stdSerializers.err(error);
  const cause = findDatabaseError(error);
  if (cause === undefined) return described;
  for (const name of ROW_VALUES) delete described[name];
  if (CLASS_OF_VALUES.test(cause.code ?? "")) {
    const words = cause.message.replace(FROM_FIRST_QUOTE, "…");
    described.message = described.message.replaceAll(cause.message, words);
    described.stack = described.stack.replaceAll(cause.message, words);
  }
  return described;
}

/** Returns the error that PostgreSQL reported: the error itself, or one of its causes. */
function findDatabaseError(error: unknown): (Error & { readonly code?: string }) | undefined {
  if (!(error instanceof Error)) return undefined;
  const { severity, routine } = error as { severity?: unknown; routine?: unknown };
  if (severity !== undefined && routine !== undefined) return error;
  return findDatabaseError(error.cause);
}

/**
 * The options of every log of the service: an entry never shows a credential or a body. Errors of a database
 * that is away are not logged one by one, because the watch reports it once (`reportDatabase`).
 */
export const logOptions = (level: LevelWithSilentOrString): LoggerOptions => ({
  level,
  hooks: {
    logMethod(args, method, level) {
      const [entry] = args as unknown as [{ readonly err?: unknown } | string | undefined];
      const isReported = typeof entry === "object" && entry?.err instanceof DatabaseUnavailable;
      if (!isReported || level === LEVEL_FATAL) method.apply(this, args);
    },
  },
  serializers: { err: describeError },
  redact: {
    paths: [
      ...SECRETS,
      ...SECRETS.map((path) => (path.startsWith("[") ? `*${path}` : `*.${path}`)),
    ],
    censor: "[redacted]",
  },
});

/** Opens the log of a process, on standard error. */
export const openLog = (level: LevelWithSilentOrString): Logger =>
  pino(logOptions(level), destination(2));

/** Writes one line when the database goes away, and one when it is back. Counts every failed statement. */
export function reportDatabase(
  log: Logger,
  { databaseErrors }: Pick<Metrics, "databaseErrors">,
): DatabaseReport {
  // Prometheus sees no increase in a counter that begins above 0, so ExchangeDatabaseFull would miss the first failures.
  for (const errorClass of DATABASE_ERROR_CLASSES) databaseErrors.inc({ class: errorClass }, 0);
  return {
    away: ({ message, reason }) =>
      log.error({ cause: message, reason }, "database away, waiting for it"),
    back: (awayMs) => log.warn({ awayMs: Math.round(awayMs) }, "database is back"),
    disturbed: ({ message, reason }) =>
      log.warn({ cause: message, reason }, "a database statement failed, the database answers"),
    failed: (errorClass) => databaseErrors.inc({ class: errorClass }),
  };
}
