import { parseArgs } from "node:util";
import type { Command, CommandInput } from "./command.ts";

/** The command was not called as its help says. */
export class UsageError extends Error {}

export interface ParsedArguments {
  readonly input: CommandInput;
  readonly json: boolean;
  readonly help: boolean;
}

export function parseArguments(
  command: Command,
  argumentsGiven: readonly string[],
): ParsedArguments {
  const values = parseOptions(command, argumentsGiven);
  const help = values["help"] === true;
  const many = (name: string): readonly string[] =>
    [values[name] ?? []].flat().filter((value) => typeof value === "string");
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && !help && !many(name)[0]) throw new UsageError(`--${name} is missing.`);
  }
  return {
    help,
    json: values["json"] === true,
    input: {
      many,
      one: (name) => many(name)[0],
      required: (name) => many(name)[0] ?? "",
      has: (name) => values[name] === true,
    },
  };
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function parseOptions(command: Command, argumentsGiven: readonly string[]): Values {
  const options = Object.entries(command.options).map(([name, { value, multiple }]) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, multiple: multiple === true }] as const;
  });
  try {
    return parseArgs({
      args: [...argumentsGiven],
      strict: true,
      allowPositionals: false,
      options: {
        ...Object.fromEntries(options),
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
