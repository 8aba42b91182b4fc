import { describeStop, type Stop, type StopKey } from "../../domain/payouts/stop.ts";
import { resumePayouts } from "../../flows/payouts/resume.ts";
import { stopPayouts } from "../../flows/payouts/stop.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { type Command, type CommandInput, type CommandOption, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const SUBJECT: Readonly<Record<string, CommandOption>> = {
  all: { description: "Every payout and refund." },
  rail: {
    value: "RAIL",
    description:
      "A rail such as chain:bitcoin, bank:sepa or card. `chain` or `bank` stands for all of its kind.",
  },
  network: {
    value: "CODE",
    description: "A network such as bitcoin: its payouts, and new business that uses it.",
  },
  currency: {
    value: "REF",
    description:
      "One coin on one network, or a fiat currency: its payouts, and new business in it.",
  },
  method: {
    value: "REF",
    description: "A payment method such as sepa: payouts by it, and new business that uses it.",
  },
  pair: {
    value: "PAIR",
    description: "The references of the currencies spent and received, such as eur-btc.",
  },
  client: { value: "ID", description: "A merchant's client id." },
};

/** Reads the key of the stop. Exactly one of the options names it. */
function stopKeyOf(input: CommandInput): StopKey {
  const keys = [
    ...(input.hasFlag("all") ? [{ kind: "all", subject: "" } as const] : []),
    ...input.many("rail").map((subject) => ({ kind: "rail", subject }) as const),
    ...(["network", "currency", "method"] as const).flatMap((kind) =>
      input.many(kind).map((subject) => ({ kind, subject }) as const),
    ),
    ...input.many("pair").map((subject) => ({ kind: "pair", subject }) as const),
    ...input.many("client").map((subject) => ({ kind: "merchant", subject }) as const),
  ];
  const [key, ...others] = keys;
  if (key && others.length === 0) return key;
  throw new UsageError(
    "Use exactly one of --all, --rail, --network, --currency, --method, --pair and --client.",
  );
}

const peopleWords = (missing: number): string =>
  missing === 1 ? "One more person has" : `${missing} more people have`;

/** Returns the command that agrees to resume a stop. */
export const resumeCommandOf = ({ kind, subject }: StopKey): string => {
  const option = kind === "merchant" ? "client" : kind;
  return `exchange payouts resume --${option}${subject === "" ? "" : ` ${subject}`}`;
};

const showStop = (stop: Stop) => ({
  kind: stop.kind,
  subject: stop.subject,
  reason: stop.reason,
  setBy: stop.setBy,
  peopleToResume: stop.peopleToResume,
  agreed: stop.agreed,
  since: stop.since.toISOString(),
});

export const payoutsStop: Command = {
  name: "payouts stop",
  summary: "Stop payouts. No payout of the named kind is signed until it is resumed.",
  options: {
    ...SUBJECT,
    reason: { value: "TEXT", required: true, description: "The reason, for the log." },
    as: AS,
  },
  example: 'payouts stop --rail chain:bitcoin --reason "the node is behind" --as anna',
  run: (context, input) => {
    const key = stopKeyOf(input);
    return withFlows(context, async (deps) => {
      const reason = input.required("reason");
      const isNew = await stopPayouts(deps, { ...key, reason, by: operatorOf(context, input) });
      const stop = describeStop(key);
      const text = isNew ? `Stopped: ${stop}.` : `${stop} was stopped already.`;
      return { json: { ...key, stopped: true, isNews: isNew }, text };
    });
  },
};

export const payoutsResume: Command = {
  name: "payouts resume",
  summary:
    "Agree to resume stopped payouts. A stop of all payouts or of a rail, and each stop by the service, needs two people.",
  options: { ...SUBJECT, as: AS },
  example: "payouts resume --rail chain:bitcoin --as anna",
  run: (context, input) => {
    const key = stopKeyOf(input);
    return withFlows(context, async (deps) => {
      const resumption = await resumePayouts(deps, { ...key, by: operatorOf(context, input) });
      const stop = describeStop(key);
      const text = resumption.resumed
        ? `Resumed: ${stop}. Waiting payouts continue.`
        : `Noted. ${peopleWords(resumption.peopleMissing)} to agree to resume: ${stop}.`;
      return { json: { ...key, ...resumption }, text };
    });
  },
};

export const payoutsStops: Command = {
  name: "payouts stops",
  summary: "List the stops: reason, author and who agreed to resume.",
  options: {},
  example: "payouts stops",
  run: (context) =>
    withFlows(context, async ({ database }) => {
      const stops = (await listStops(database)).map(showStop);
      if (stops.length === 0) return { json: stops, text: "Nothing is stopped." };
      const rows = stops.map((stop) => [
        describeStop(stop),
        stop.reason,
        stop.setBy,
        stop.since,
        `${stop.agreed.length} of ${stop.peopleToResume}`,
      ]);
      const head = ["STOPPED", "REASON", "BY", "SINCE", "AGREED TO RESUME"];
      return { json: stops, text: table([head, ...rows]) };
    }),
};
