import type { Config } from "../config.ts";

/** One option of a command. All take a value except flags. */
export interface CommandOption {
  readonly description: string;
  /** How the value is shown in help, such as "ID"; absent for a flag. */
  readonly value?: string;
  readonly required?: true;
  readonly multiple?: true;
}

/** What the operator gave: texts by option name. */
export interface CommandInput {
  readonly one: (name: string) => string | undefined;
  readonly required: (name: string) => string;
  readonly many: (name: string) => readonly string[];
  /** Whether a flag was given. */
  readonly has: (name: string) => boolean;
}

export interface CommandContext {
  readonly variables: NodeJS.ProcessEnv;
  readonly config: () => Config;
  /** Goes to the error stream, so that output can be piped. */
  readonly progress: (line: string) => void;
  /** Whether --json was given. */
  readonly json: boolean;
  /** Writes a part of a long output, line ends included, and waits until it is taken. */
  readonly write: (text: string) => Promise<void>;
}

/** What a command found: printed as text, or with --json as it is. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** True when the command wrote its output itself: then neither of them is printed. */
  readonly written?: boolean;
  /** False makes the exit status 1. */
  readonly ok?: boolean;
}

export interface Command {
  /** One or two words: "merchant create". */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly example: string;
  run(context: CommandContext, input: CommandInput): Promise<CommandResult>;
}
