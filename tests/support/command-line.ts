import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT, type Service } from "./service.ts";

const execute = promisify(execFile);
const COMMAND = path.join(ROOT, "apps/server/bin/exchange.js");

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the operator's `exchange` command beside a service, whatever its exit status. */
export async function exchange(service: Service, ...args: string[]): Promise<CommandResult> {
  try {
    const done = await execute(process.execPath, [COMMAND, ...args], {
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

/** Runs it with `--json` and reads what it prints; a failure is an error with its words. */
export async function exchangeJson<T>(service: Service, ...args: string[]): Promise<T> {
  const result = await exchange(service, ...args, "--json");
  if (result.status !== 0) {
    throw new Error(`exchange ${args.join(" ")}: ${result.stdout}${result.stderr}`);
  }
  return JSON.parse(result.stdout) as T;
}
