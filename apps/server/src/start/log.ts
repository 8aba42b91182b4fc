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
import { findDatabaseError, makeRepeatLimit } from "./repeated-failures.ts";

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

/**
 * The options of every log of the service: an entry never shows a credential or a body. Errors of a database
 * that is away are not logged one by one, because the watch reports it once (`reportDatabase`). An error that the
 * database reports again and again is logged once a minute.
 */
export const logOptions = (level: LevelWithSilentOrString): LoggerOptions => ({
  level,
  hooks: { logMethod: makeLogMethod() },
  serializers: { err: describeError },
  redact: {
    paths: [
      ...SECRETS,
      ...SECRETS.map((path) => (path.startsWith("[") ? `*${path}` : `*.${path}`)),
    ],
    censor: "[redacted]",
  },
});

type LogMethod = NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;

function makeLogMethod(): LogMethod {
  const limit = makeRepeatLimit();
  return function logMethod(args, method, level) {
    const [entry, line] = args as unknown as [
      { readonly err?: unknown } | string | undefined,
      unknown,
    ];
    const error = typeof entry === "object" && level !== LEVEL_FATAL ? entry?.err : undefined;
    if (error instanceof DatabaseUnavailable) return;
    const cause = findDatabaseError(error);
    if (cause === undefined) return method.apply(this, args);
    limit(cause, line, (repeats) =>
      method.apply(this, [{ ...(entry as object), repeats }, line as string]),
    );
  };
}

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
