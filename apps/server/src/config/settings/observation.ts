import { ACCESS_LOGS } from "../../http/settings.ts";
import { parseOneOf, parseShare, parseTarget, parseWhole } from "../parsers.ts";
import { setting } from "../setting.ts";

/** Probes, metrics, the access log, and messages to the operator. */
export const OBSERVATION_SETTINGS = {
  healthPort: setting({
    name: "EXCHANGE_HEALTH_PORT",
    default: "0",
    description:
      "Port of `GET /livez`, `GET /readyz` and `GET /metrics` for probes and Prometheus, also of a worker. `0` opens none. It has no credentials, so keep it inside your network (`docs/operating/monitoring.md`).",
    parse: parseWhole(0, 65_535),
  }),
  accessLog: setting({
    name: "EXCHANGE_ACCESS_LOG",
    default: "all",
    description:
      "The requests that have a line in the log, at level `info`: `off`, `errors` (status 400 and above) or `all`. A request that fails by our fault is logged in any case.",
    parse: parseOneOf(ACCESS_LOGS),
  }),
  tracesUrl: setting({
    name: "EXCHANGE_TRACES_URL",
    default: undefined,
    defaultWords: "no traces",
    description:
      "Address to which traces are sent by OTLP over HTTP, such as `http://collector.internal:4318/v1/traces` (`docs/operating/tracing.md`). It may be in a private network. Plain HTTP is allowed to addresses that are not public.",
    parse: parseTarget,
  }),
  tracesRatio: setting({
    name: "EXCHANGE_TRACES_RATIO",
    default: "0.1",
    description:
      "The share of requests that are traced, from `0` to `1`. An order is traced whole or not at all.",
    parse: parseShare,
  }),
  alertWebhookUrl: setting({
    name: "EXCHANGE_ALERT_WEBHOOK_URL",
    default: undefined,
    defaultWords: "no messages",
    description:
      "Address that is sent a message when something needs a person, and one when it has ended (`docs/operating/monitoring.md`). It may be in a private network. Plain HTTP is allowed to addresses that are not public.",
    parse: parseTarget,
  }),
} as const;
