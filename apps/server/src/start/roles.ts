import type { Config } from "../config.ts";

/** Returns what this process does. Only one that may write every table serves the console. */
export const partsOfRole = ({ role, consolePort }: Pick<Config, "role" | "consolePort">) => ({
  runsWorkers: role === "all" || role === "worker",
  servesApi: role === "all" || role === "api",
  servesConsole: (role === "all" || role === "console") && consolePort !== 0,
});

/** Returns the role that this process itself has. Undefined where it only starts processes that serve the API. */
export function ownRoleOf({
  role,
  apiProcesses,
}: Pick<Config, "role" | "apiProcesses">): Config["role"] | undefined {
  if (apiProcesses <= 1) return role;
  return role === "all" ? "worker" : undefined;
}
