import type { Config } from "../config.ts";

/** The command was not called as its help says. */
export class UsageError extends Error {}

/** One option of a command. All take a value except flags. */
export interface CommandOption {
  readonly description: string;
  /** The name of the value in the help, such as "ID". Absent for a flag. */
  readonly value?: string;
  readonly required?: true;
  readonly multiple?: true;
  /** An earlier name of the option. It still works, and the help does not show it. */
  readonly earlier?: string;
}

/** The arguments of one call, by option name. */
export interface CommandInput {
  readonly one: (name: string) => string | undefined;
  readonly required: (name: string) => string;
  readonly many: (name: string) => readonly string[];
  readonly hasFlag: (name: string) => boolean;
}

export interface CommandContext {
  readonly variables: NodeJS.ProcessEnv;
  readonly config: () => Config;
  /** Writes to the error stream, so that the output can be piped. */
  readonly progress: (line: string) => void;
  /** True with --json. */
  readonly json: boolean;
  /** Writes a part of a long output, line ends included. Resolves when the stream accepted it. */
  readonly write: (text: string) => Promise<void>;
}

/** The result of a command, printed as text or, with --json, as JSON. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** True when the command wrote its output itself. Then neither `json` nor `text` is printed. */
  readonly written?: boolean;
  /** False makes the exit status 1. */
  readonly ok?: boolean;
  /** Another exit status, for commands whose help lists theirs. */
  readonly exitStatus?: number;
}

export interface Command {
  /** One or two words, such as "merchant create". */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** The option whose value may also be written alone, as in `orders show 1000123456789`. */
  readonly argument?: string;
  /** The option whose value may be written alone after the argument, as in `orders note 1000123456789 "called back"`. */
  readonly secondArgument?: string;
  readonly example: string;
  run(context: CommandContext, input: CommandInput): Promise<CommandResult>;
}
