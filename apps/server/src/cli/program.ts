import { Help, Option, Command as Program } from "commander";
import { type Command, type CommandInput, type CommandOption, UsageError } from "./command.ts";

/** How a program runs one of its commands, and where its help and its usage errors are written. */
export interface ProgramHost {
  readonly run: (command: Command, call: CommandCall) => Promise<void>;
  readonly version: string;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

export interface CommandCall {
  readonly input: CommandInput;
  readonly json: boolean;
}

const INTRODUCTION =
  "The operator's command line of Exchange. It works whether or not the service runs.";
const CLOSING = `
Every command takes --json for output that programs read, and --help.
The command reads the same environment variables as the service: docs/reference/configuration.md.`;

/**
 * Builds the command line from the table of commands. Parsing throws a `CommanderError` after it
 * wrote the help (exit code 0) or a usage error with an example of its command (any other exit code).
 */
export function makeProgram(commands: readonly Command[], host: ProgramHost): Program {
  const program = new Program("exchange")
    .description(INTRODUCTION)
    .addHelpText("after", CLOSING)
    .version(host.version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .configureHelp({ formatHelp, subcommandTerm: fullName })
    .configureOutput({ writeOut: host.writeOut, writeErr: host.writeError })
    .showHelpAfterError("All commands: exchange --help")
    // `migrate` is a command and has subcommands, with options of the same name.
    .enablePositionalOptions()
    .exitOverride();
  for (const command of commands) addCommand(program, command, host);
  return program;
}

/**
 * The help lists every command that can be run, where commander's own lists the groups. Suggestions for
 * a mistyped group need commander's list, so it is replaced for this text only.
 */
function formatHelp(program: Program, help: Help): string {
  help.visibleCommands = ({ commands }) =>
    commands.flatMap((one) => [...(isRunnable(one) ? [one] : []), ...one.commands]);
  return new Help().formatHelp(program, help);
}

/** A command that is only a group of others has no description. */
const isRunnable = (one: Pick<Program, "description">): boolean => one.description() !== "";

const fullName = (program: Program): string =>
  program.parent?.parent ? `${program.parent.name()} ${program.name()}` : program.name();

function addCommand(program: Program, command: Command, host: ProgramHost): void {
  const [word = "", subcommand] = command.name.split(" ");
  const group = program.commands.find((one) => one.name() === word);
  const parent = subcommand === undefined ? program : (group ?? program.command(word));
  const leaf = parent
    .command(subcommand ?? word)
    .description(command.summary)
    .addHelpText("after", `\nExample: exchange ${command.example}`)
    .showHelpAfterError(`Example: exchange ${command.example}
All options: exchange ${command.name} --help`);
  for (const [name, option] of Object.entries(command.options)) {
    leaf.addOption(makeOption(name, option));
    if (option.earlier) leaf.addOption(makeOption(option.earlier, option).hideHelp());
  }
  leaf.option("--json", "Print the result as JSON.");
  for (const name of argumentsOf(command)) leaf.argument(`[${name}]`, `The same as --${name}.`);
  leaf.action(async () => {
    try {
      await host.run(command, readCall(command, leaf));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      leaf.error(`error: ${error.message}`);
    }
  });
}

/** The options whose values may be written alone, in their order. */
const argumentsOf = ({ argument, secondArgument }: Command): readonly string[] =>
  [argument, secondArgument].filter((name) => name !== undefined);

function makeOption(name: string, { value, required, multiple, description }: CommandOption) {
  const notes = `${required ? " Required." : ""}${multiple ? " May be repeated." : ""}`;
  const flags = value === undefined ? `--${name}` : `--${name} <${value}>`;
  const option = new Option(flags, `${description}${notes}`);
  if (!multiple) return option;
  return option.argParser((text, values: readonly string[] | undefined = []) => [...values, text]);
}

function readCall(command: Command, leaf: Program): CommandCall {
  const written = (name: string): unknown =>
    leaf.getOptionValue(new Option(`--${name}`).attributeName());
  const valueOf = (name: string): unknown => {
    const earlier = command.options[name]?.earlier;
    return written(name) ?? (earlier === undefined ? undefined : written(earlier));
  };
  const names = argumentsOf(command);
  const alone = (name: string): string | undefined =>
    names.includes(name) ? leaf.args[names.indexOf(name)] : undefined;
  const many = (name: string): readonly string[] =>
    [valueOf(name) ?? alone(name)].flat().filter((value) => typeof value === "string");
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && !many(name)[0]) throw new UsageError(`--${name} is missing.`);
  }
  for (const name of names) {
    if (alone(name) === undefined || valueOf(name) === undefined) continue;
    throw new UsageError(`Write the ${name} once: with --${name} or without it.`);
  }
  return {
    json: valueOf("json") === true,
    input: {
      many,
      one: (name) => many(name)[0],
      required: (name) => many(name)[0] ?? "",
      hasFlag: (name) => valueOf(name) === true,
    },
  };
}
