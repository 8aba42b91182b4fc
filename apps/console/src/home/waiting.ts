import type { Overview, Treasury } from "@exchange/contract/admin";
import { WAIT_CODES } from "../payouts/waits.ts";
import { linkTo } from "../route.ts";
import { asSentence, say, sayAge, sayCoins, sayTime, sayWord, type TextKey } from "../say.ts";

/** One thing that waits for a person, with the place where it is decided. */
interface Waiting {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  /** Undefined where no place of the console helps. */
  readonly link: string | undefined;
}

export interface Seen {
  readonly overview: Overview;
  readonly seesPrices: boolean;
  /** Undefined until it was read, and for a person without the right. */
  readonly treasury: Treasury | undefined;
}

/** The kinds of alerts that the rest of the overview does not have. */
const ALERTS: Readonly<Record<string, TextKey>> = {
  rail_down: "alert.rail_down",
  workers_late: "alert.workers_late",
  jobs_failing: "alert.jobs_failing",
  webhooks_late: "alert.webhooks_late",
  endpoint_disabled: "alert.endpoint_disabled",
  excess_held: "alert.excess_held",
  order_stuck: "alert.order_stuck",
  audit_stale: "alert.audit_stale",
  rails_not_compared: "alert.rails_not_compared",
};
const OTHER_ALERTS = new RegExp(`^(${Object.keys(ALERTS).join("|")})\\b`);
export const isRailDown = ({ cause }: Overview["alerts"][number]): boolean =>
  cause.startsWith("rail_down");

/** The assets of which there is too little to pay with. */
export const lowAssets = (treasury: Treasury | undefined) =>
  (treasury?.assets ?? []).filter(
    ({ float, frozen }) => frozen !== null || float === "low" || float === "below_floor",
  );

/** Returns what waits: troubles that hold many orders come first, then single orders and payouts, then prices. */
export function waitingIn({ overview, seesPrices, treasury }: Seen): readonly Waiting[] {
  const age = (seconds: number): string => say("home.oldest", { age: sayAge(seconds) });
  return [
    ...troublesIn(overview),
    ...overview.breaks.map(({ subject, check, problem }) => ({
      key: `break ${subject} ${check} ${problem}`,
      text: say("home.break", { subject }),
      detail: say("waits.because", { cause: sayWord("check", check), detail: problem }),
      link: subject.startsWith("order:")
        ? linkTo(`orders/${subject.slice(6)}`)
        : treasury && linkTo("treasury"),
    })),
    ...overview.stops.map(({ kind, subject, reason, setBy }) => ({
      key: `stop ${kind} ${subject}`,
      text: say("home.stopped", { what: subject || say("payouts.everything") }),
      detail: `${reason} (${setBy})`,
      link: linkTo("payouts"),
    })),
    ...lowFloats(treasury),
    ...overview.orders
      .filter(({ status }) => status === "in_review")
      .map(({ reason, count, oldestSeconds }) => ({
        key: `order ${reason}`,
        text: say("home.in_review", { count, reason: sayWord("reason", reason ?? "unknown") }),
        detail: age(oldestSeconds),
        link: linkTo("reviews", { reason: reason ?? undefined }),
      })),
    ...waitingPayouts(overview).map(({ code, count, oldestSeconds }) => ({
      key: `payout ${code}`,
      text: say("home.payouts", { count }),
      detail: `${asSentence(sayWord("wait", code))}. ${age(oldestSeconds)}`,
      link: linkTo("payouts"),
    })),
    ...(overview.proposals.count === 0 || !seesPrices
      ? []
      : [
          {
            key: "proposals",
            text: say("home.proposals", { count: overview.proposals.count }),
            detail: age(overview.proposals.oldestSeconds),
            link: linkTo("prices", { which: "proposed" }),
          },
        ]),
  ];
}

/** The payouts that wait by their cause: each amount above a limit has a sentence of its own, and so a row of the answer. */
function waitingPayouts({ payouts }: Overview) {
  return WAIT_CODES.map((code) => {
    const rows = payouts.filter(({ state, wait }) => state === "created" && wait?.code === code);
    return {
      code,
      count: rows.reduce((sum, row) => sum + row.count, 0),
      oldestSeconds: Math.max(0, ...rows.map((row) => row.oldestSeconds)),
    };
  }).filter(({ count }) => count > 0);
}

/** Rails, networks, workers and webhooks that do not work. */
const troublesIn = (overview: Overview): readonly Waiting[] => [
  ...overview.alerts
    .filter(({ cause }) => OTHER_ALERTS.test(cause))
    .map(({ cause, summary, beganAt }) => ({
      key: cause,
      text: alertText(cause, summary),
      detail: `${summary} ${say("home.since", { time: sayTime(beganAt) })}`,
      link: cause.startsWith("excess_held:") ? linkTo(`orders/${cause.split(":")[1]}`) : undefined,
    })),
  ...overview.networks
    .filter(({ problem }) => problem !== null)
    .map(({ networkCode, problem, movedAt }) => ({
      key: `network ${networkCode}`,
      text: say("home.network", { network: networkCode }),
      detail: `${problem} (${sayTime(movedAt)})`,
      link: undefined,
    })),
];

/** A cause in the person's language: `rail_down:chain:ethereum` is the kind `rail_down` of chain:ethereum. */
function alertText(cause: string, summary: string): string {
  const [kind = ""] = cause.split(":");
  const text = ALERTS[kind];
  return text === undefined ? summary : say(text, { subject: cause.slice(kind.length + 1) });
}

const lowFloats = (treasury: Treasury | undefined): readonly Waiting[] =>
  lowAssets(treasury).map(({ currency, float, free, frozen }) => ({
    key: `float ${currency}`,
    ...(frozen === null
      ? {
          text: say("home.float_low", { currency: currency.toUpperCase() }),
          detail: `${say(`treasury.${float ?? "low"}`)}. ${say("treasury.free")}: ${sayCoins(free ?? "0", currency)}`,
        }
      : {
          text: say("home.float_frozen", { currency: currency.toUpperCase() }),
          detail: say("treasury.frozen_text", { amount: sayCoins(frozen, currency) }),
        }),
    link: linkTo("treasury"),
  }));
