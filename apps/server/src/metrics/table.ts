/** How the values of several processes become one. */
type Combined = "sum" | "max" | "min";

interface Row<Kind extends string, Label extends string> {
  readonly kind: Kind;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly combined: Combined;
}

const counter = <const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Row<"counter", Label> => ({ kind: "counter", name, help, labels, combined: "sum" });

const gauge = <const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Row<"gauge", Label> => ({ kind: "gauge", name, help, labels, combined: "sum" });

/** A gauge that means the same in every process, such as the age of the prices. */
const sharedGauge = <const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Row<"gauge", Label> => ({ kind: "gauge", name, help, labels, combined: "max" });

/** 1 while something works, otherwise 0. The process that finds it broken counts. */
const upGauge = <const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Row<"gauge", Label> => ({ kind: "gauge", name, help, labels, combined: "min" });

const histogram = <const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[],
  buckets: readonly number[],
): Row<"histogram", Label> & { readonly buckets: readonly number[] } => ({
  kind: "histogram",
  name,
  help,
  labels,
  combined: "sum",
  buckets,
});

/** Seconds of an answer, a statement or a call. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Seconds of work that may wait for a bank, a chain or a person. */
const STAGE_BUCKETS = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/**
 * Every metric of the service. No label holds a merchant, an order or an address, so the number of series is bounded.
 * `docs/reference/metrics.md` is generated from this table. Gauges of the database are read by the auditor.
 */
export const METRICS = {
  processInfo: gauge("exchange_process_info", "Running processes, by version and role.", [
    "version",
    "role",
  ]),
  loopStuck: sharedGauge(
    "exchange_loop_stuck",
    "1 for a loop of a process that has not gone round within its deadline, otherwise 0.",
    ["loop"],
  ),
  clockSkew: sharedGauge(
    "exchange_clock_skew_seconds",
    "Difference between the clocks of this machine and of the database.",
  ),

  requests: counter("exchange_http_requests_total", "Answered requests, by route and status.", [
    "method",
    "route",
    "code",
  ]),
  requestSeconds: histogram(
    "exchange_http_request_duration_seconds",
    "Time from the head of a request to the end of its answer. Event streams are left out.",
    ["method", "route"],
    CALL_BUCKETS,
  ),
  requestsInFlight: gauge(
    "exchange_http_requests_in_flight",
    "Requests that are not answered yet, open event streams included.",
  ),
  eventStreams: gauge("exchange_event_streams", "Open streams of events."),
  refusals: counter(
    "exchange_refusals_total",
    "Requests that were refused with a code of the error catalogue, by route and code.",
    ["route", "code"],
  ),
  securityEvents: counter(
    "exchange_security_events_total",
    "Security events, those that the log suppressed included.",
    ["event"],
  ),

  databaseUp: upGauge(
    "exchange_database_up",
    "1 while the processes can use the database, otherwise 0.",
  ),
  databaseConnections: gauge(
    "exchange_database_connections",
    "Connections of the pool that are idle or busy, and statements that wait for one.",
    ["state"],
  ),
  databaseErrors: counter(
    "exchange_database_errors_total",
    "Statements and database transactions that failed, by class of the error. Refused connections are `full`.",
    ["class"],
  ),

  ordersPlaced: counter("exchange_orders_placed_total", "Orders placed by this process.", [
    "operation",
  ]),
  orderMoves: counter("exchange_order_moves_total", "Changes of an order's status.", [
    "from",
    "to",
    "operation",
  ]),
  orderSeconds: histogram(
    "exchange_order_stage_seconds",
    "Business time from the placement of an order until it reached the status for the last time.",
    ["status"],
    STAGE_BUCKETS,
  ),
  payoutSigningSeconds: histogram(
    "exchange_payout_signing_seconds",
    "Business time from the moment a payout was owed until it was signed or its payment order stored.",
    ["rail"],
    STAGE_BUCKETS,
  ),
  ordersOpen: sharedGauge("exchange_orders_open", "Orders that are not final.", [
    "status",
    "operation",
  ]),
  orderOldest: sharedGauge(
    "exchange_order_oldest_seconds",
    "Time since the least recent change of an open order.",
    ["status", "operation"],
  ),
  ordersInReview: sharedGauge(
    "exchange_orders_in_review",
    "Orders that wait for a person, by reason.",
    ["reason"],
  ),

  payoutsOpen: sharedGauge("exchange_payouts_open", "Payouts and refunds under way.", [
    "rail",
    "state",
  ]),
  payoutOldest: sharedGauge(
    "exchange_payout_oldest_seconds",
    "Time since the oldest payout under way was owed, or completed its order where it is `not_final`.",
    ["rail", "state"],
  ),
  payoutsWaiting: sharedGauge(
    "exchange_payouts_waiting",
    "Payouts that the controls do not release: `wait` for a stop or a limit, `hold` for approvals.",
    ["outcome"],
  ),
  payoutStops: sharedGauge("exchange_payout_stops", "Stops in force, by kind.", ["scope"]),
  limitUsed: sharedGauge(
    "exchange_payout_limit_used_ratio",
    "Released payouts as a share of the limit of all currencies. Absent without such a limit.",
    ["window"],
  ),
  historyRestored: sharedGauge(
    "exchange_history_restored",
    "1 while a restored database waits to be reconciled, otherwise 0.",
  ),

  jobsDue: sharedGauge("exchange_jobs_due", "Jobs that are due or run now.", ["kind"]),
  jobOldest: sharedGauge(
    "exchange_job_oldest_due_seconds",
    "Time since the most overdue job became due.",
    ["kind"],
  ),
  jobsFailing: sharedGauge("exchange_jobs_failing", "Jobs that failed ten times on end.", ["kind"]),
  jobs: counter(
    "exchange_jobs_total",
    "Jobs that ran: `done`, `retried` after a failure, or `lost` to another worker.",
    ["kind", "outcome"],
  ),
  jobSeconds: histogram("exchange_job_seconds", "Time that a job ran.", ["kind"], CALL_BUCKETS),

  webhookAttempts: counter(
    "exchange_webhook_attempts_total",
    "Attempts to deliver a webhook: `ok`, or the class of the fault.",
    ["outcome"],
  ),
  webhookSeconds: histogram(
    "exchange_webhook_attempt_seconds",
    "Time of an attempt to deliver a webhook.",
    [],
    CALL_BUCKETS,
  ),
  webhooksPending: sharedGauge(
    "exchange_webhooks_pending",
    "Deliveries that have not ended. Counted to 10,000.",
  ),
  webhookOldest: sharedGauge(
    "exchange_webhook_oldest_due_seconds",
    "Time since the most overdue delivery to an endpoint without failures became due.",
  ),
  webhookEndpoints: sharedGauge(
    "exchange_webhook_endpoints",
    "Endpoints of merchants: `sound`, `failing` or `disabled`.",
    ["state"],
  ),

  auditBreaks: sharedGauge(
    "exchange_audit_breaks",
    "Differences between orders, books and rails that are standing.",
  ),
  auditPassedAt: sharedGauge(
    "exchange_audit_last_pass_timestamp_seconds",
    "When the audit last finished a pass, in Unix time.",
  ),
  auditSeconds: histogram(
    "exchange_audit_pass_seconds",
    "Time of a pass of the audit.",
    [],
    CALL_BUCKETS,
  ),
  railsComparedAt: sharedGauge(
    "exchange_rails_compared_timestamp_seconds",
    "When the books were last compared with the statements of the rails, in Unix time. Before that: the installation's start.",
  ),

  railUp: upGauge(
    "exchange_rail_up",
    "0 while one kind of call to a rail fails, until such a call succeeds or two minutes passed. A refusal is not a failure.",
    ["rail"],
  ),
  railSeconds: histogram(
    "exchange_rail_request_seconds",
    "Time of a call to a rail.",
    ["rail", "call"],
    CALL_BUCKETS,
  ),
  railErrors: counter("exchange_rail_errors_total", "Calls to a rail that failed.", [
    "rail",
    "call",
  ]),
  networkUp: upGauge(
    "exchange_network_up",
    "0 for a live network whose scanner cannot go on, otherwise 1.",
    ["network"],
  ),
  networkMovedAt: sharedGauge(
    "exchange_network_moved_timestamp_seconds",
    "When a block of a live network was last read or became final, in Unix time.",
    ["network"],
  ),

  priceAge: sharedGauge(
    "exchange_price_age_seconds",
    "Age of the oldest price that a currency's price is made of. Absent without a price.",
    ["currency"],
  ),
  pricesUp: upGauge(
    "exchange_prices_up",
    "0 while no source of prices is sound, so that quotes are refused, otherwise 1.",
  ),
  priceSourceUp: upGauge(
    "exchange_price_source_up",
    "0 for a source of prices that is stale or resting, otherwise 1.",
    ["source"],
  ),

  floatAmount: sharedGauge(
    "exchange_float_amount",
    "Whole coins of an asset with a bounded stock that are on hand and not promised.",
    ["asset"],
  ),
  floatLow: sharedGauge(
    "exchange_float_low",
    "1 for an asset whose float is low or below its floor, otherwise 0.",
    ["asset"],
  ),

  alertsOpen: sharedGauge(
    "exchange_alerts_open",
    "Causes for a person that the service itself has reported, and that stand.",
    ["cause"],
  ),
  mailsHeldBack: sharedGauge(
    "exchange_mails_held_back",
    "1 while mails wait because the hour has had EXCHANGE_MAILS_PER_HOUR of them, otherwise 0.",
  ),
} as const;

export type MetricKey = keyof typeof METRICS;
