import type { Config } from "../config.ts";

/** Returns what this process does. Only one that may write every table serves the console. */
export const partsOfRole = ({ role, consolePort }: Pick<Config, "role" | "consolePort">) => ({
  runsWorkers: role === "all" || role === "worker",
  servesApi: role === "all" || role === "api",
  servesConsole: (role === "all" || role === "console") && consolePort !== 0,
});
