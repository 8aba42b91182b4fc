import { describeStop, type Stop, type StopKey } from "../../domain/payouts/stop.ts";
import { resumePayouts } from "../../flows/payouts/resume.ts";
import { stopPayouts } from "../../flows/payouts/stop.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { UsageError } from "../arguments.ts";
import type { Command, CommandInput, CommandOption } from "../command.ts";
import { AS, personOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const SUBJECT: Readonly<Record<string, CommandOption>> = {
  all: { description: "Every payout and refund." },
  rail: {
    value: "RAIL",
    description: "chain:bitcoin, bank:sepa, card; chain or bank for all of them.",
  },
  pair: { value: "PAIR", description: "What is spent and received, by reference: eur-btc." },
  client: { value: "ID", description: "A merchant's client id." },
};

/** Which stop is meant: exactly one of the four options. */
function stopKeyOf(input: CommandInput): StopKey {
  const named = [
    ...(input.has("all") ? [{ kind: "all", subject: "" } as const] : []),
    ...input.many("rail").map((subject) => ({ kind: "rail", subject }) as const),
    ...input.many("pair").map((subject) => ({ kind: "pair", subject }) as const),
    ...input.many("client").map((subject) => ({ kind: "merchant", subject }) as const),
  ];
  const [key, ...others] = named;
  if (key && others.length === 0) return key;
  throw new UsageError("Name one of --all, --rail, --pair and --client.");
}

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
  summary: "Stop payouts: from now on nothing of it is signed, until it is resumed.",
  options: {
    ...SUBJECT,
    reason: { value: "TEXT", required: true, description: "Why, for the log." },
    as: AS,
  },
  example: 'payouts stop --rail chain:bitcoin --reason "the node is behind" --as anna',
  run: (context, input) => {
    const key = stopKeyOf(input);
    return withFlows(context, async (deps) => {
      const reason = input.required("reason");
      const isNews = await stopPayouts(deps, { ...key, reason, person: personOf(input) });
      const what = describeStop(key);
      const text = isNews ? `Stopped: ${what}.` : `${what} was stopped already.`;
      return { json: { ...key, stopped: true, isNews }, text };
    });
  },
};

export const payoutsResume: Command = {
  name: "payouts resume",
  summary: "Agree that a stop ends; one that an audit set needs two different people.",
  options: { ...SUBJECT, as: AS },
  example: "payouts resume --rail chain:bitcoin --as anna",
  run: (context, input) => {
    const key = stopKeyOf(input);
    return withFlows(context, async (deps) => {
      const resumption = await resumePayouts(deps, { ...key, person: personOf(input) });
      const what = describeStop(key);
      const text = resumption.resumed
        ? `Resumed: ${what}. What waited goes on.`
        : `Noted. ${resumption.peopleMissing} more person has to agree before ${what} goes on.`;
      return { json: { ...key, ...resumption }, text };
    });
  },
};

export const payoutsStops: Command = {
  name: "payouts stops",
  summary: "List what is stopped, why, by whom, and who agreed to resume it.",
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
