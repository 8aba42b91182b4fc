import { advanceClockAsOperator } from "../../flows/advance-clock.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { withDatabase } from "../with-database.ts";

const SECONDS_MAX = 31_536_000;

export const clockAdvance: Command = {
  name: "clock advance",
  summary: "Move the business clock of a sandbox forward, for all of its merchants.",
  options: {
    seconds: {
      value: "SECONDS",
      required: true,
      description: `How far the clock jumps, 1 to ${SECONDS_MAX}. It never goes back.`,
    },
    as: AS,
  },
  argument: "seconds",
  example: "clock advance 3600 --as anna",
  run: (context, input) => {
    const seconds = secondsOf(input);
    if (context.config().environment === "prod") {
      throw new UsageError("The clock of prod is the real one. Use this command in a sandbox.");
    }
    return withDatabase(context, async (deps) => {
      const by = operatorOf(context, input);
      const { businessNow, aheadSeconds } = await advanceClockAsOperator(deps, {
        seconds,
        by,
      });
      return {
        json: { businessTime: Math.floor(businessNow.getTime() / 1000), aheadSeconds },
        text: `The business clock is at ${businessNow.toISOString()}, ${aheadSeconds} seconds ahead.`,
      };
    });
  },
};

function secondsOf(input: CommandInput): number {
  const text = input.required("seconds");
  const seconds = /^[0-9]{1,8}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= SECONDS_MAX) return seconds;
  throw new UsageError(`--seconds must be a number from 1 to ${SECONDS_MAX}, not "${text}".`);
}
