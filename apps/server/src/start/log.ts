import { destination, type LevelWithSilentOrString, type Logger, pino } from "pino";

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

/** The options of every log of the service: an entry never shows a credential or a body. */
export const logOptions = (level: LevelWithSilentOrString) => ({
  level,
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
