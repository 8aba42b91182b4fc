import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { loadBuilt } from "./built-module.ts";
import { ROOT, type Service } from "./service.ts";

const execute = promisify(execFile);
/** The command of a clone, as the documents name it. */
const COMMAND = path.join(ROOT, "bin/exchange");

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the operator's `exchange` command beside a service. It resolves for every exit status. */
export async function exchange(service: Service, ...args: string[]): Promise<CommandResult> {
  try {
    const done = await execute(COMMAND, args, {
      cwd: ROOT,
      env: service.env,
      timeout: 60_000,
    });
    return { status: 0, ...done };
  } catch (error) {
    const failed = error as { code?: number; stdout?: string; stderr?: string };
    return {
      status: failed.code ?? -1,
      stdout: failed.stdout ?? "",
      stderr: failed.stderr ?? String(error),
    };
  }
}

/** Runs it with `--json` and returns the parsed output. Throws its output when it fails. */
export async function exchangeJson<T>(service: Service, ...args: string[]): Promise<T> {
  const result = await exchange(service, ...args, "--json");
  if (result.status !== 0) {
    throw new Error(`exchange ${args.join(" ")}: ${result.stdout}${result.stderr}`);
  }
  return JSON.parse(result.stdout) as T;
}

interface Commands {
  runCommand(
    words: readonly string[],
    terminal: {
      readonly variables: NodeJS.ProcessEnv;
      readonly print: (text: string) => void;
      readonly printError: (text: string) => void;
    },
  ): Promise<number>;
}

/**
 * Runs the command within this process, for steps that a test needs but does not examine. Most of the time of a
 * command is the start of its process.
 */
export async function exchangeHere<T>(service: Service, ...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await runHere(service, ...args, "--json");
  if (status !== 0) throw new Error(`exchange ${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Runs the command within this process. It resolves for every exit status. */
export async function runHere(
  { env }: Pick<Service, "env">,
  ...args: string[]
): Promise<CommandResult> {
  const { runCommand } = await loadBuilt<Commands>("cli/main.js");
  const printed: string[] = [];
  const errors: string[] = [];
  const status = await runCommand(args, {
    variables: env,
    print: (text) => printed.push(text),
    printError: (text) => errors.push(text),
  });
  return { status, stdout: printed.join("\n"), stderr: errors.join("\n") };
}
